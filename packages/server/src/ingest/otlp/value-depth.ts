import { malformedBody } from '../../codec/index.ts';

/** How deep arrays and maps may be nested in one value; the same in both encodings. */
const maxValueDepth = 64;

export class ValueDepth {
  #depth = 0;

  reset(): void {
    this.#depth = 0;
  }

  enter(offset: number): void {
    if (++this.#depth > maxValueDepth) {
      throw malformedBody(`a value is nested more than ${maxValueDepth} deep`, offset);
    }
  }

  leave(): void {
    this.#depth--;
  }
}
