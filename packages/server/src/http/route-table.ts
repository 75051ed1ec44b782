/** Remembers which methods each path has, to answer 405 with `Allow`. */
export class RouteTable {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  add(url: string, methods: readonly string[]): void {
    const source = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods });
  }

  /** Methods of the routes at this path; empty when there is none. */
  methodsAt(path: string): readonly string[] {
    const matching = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))].toSorted();
  }
}
