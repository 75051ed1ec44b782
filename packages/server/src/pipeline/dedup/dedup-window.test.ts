import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fingerprinter } from '../../codec/index.ts';
import { DedupWindow } from './dedup-window.ts';

const seed = Uint32Array.of(1, 2, 3, 4);

function insertText(window: DedupWindow, tenant: string, id: string): boolean {
  const bytes = Buffer.from(tenant + id);
  const split = Buffer.byteLength(tenant);
  return window.insert(bytes, { start: 0, end: split }, bytes, { start: split, end: bytes.length });
}

describe('Fingerprinter', () => {
  test('gives the verification value published with MurmurHash3 x86 128', () => {
    // The procedure of that suite: hash the keys [], [0], [0, 1], … with seeds 256 - length, then hash the hashes.
    const hashes = Buffer.alloc(256 * 16);
    const key = Uint8Array.from({ length: 256 }, (_, index) => index);
    const hash = (bytes: Uint8Array, start: number): Uint32Array => {
      const fingerprinter = new Fingerprinter(new Uint32Array(4).fill(start));
      fingerprinter.hash(bytes, 0, bytes.byteLength);
      return fingerprinter.words;
    };
    for (let length = 0; length < 256; length += 1) {
      const words = hash(key.subarray(0, length), 256 - length);
      words.forEach((word, lane) => hashes.writeUInt32LE(word, length * 16 + lane * 4));
    }
    expect(hash(hashes, 0)[0]).toBe(0xb3ece62a);
  });

  test('depends on every byte, on the length and on nothing outside the span', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.nat(), (bytes, pick) => {
        const fingerprinter = new Fingerprinter(seed);
        const hashOf = (data: Uint8Array, start: number, end: number): string => {
          fingerprinter.hash(data, start, end);
          return fingerprinter.words.join();
        };
        const plain = hashOf(bytes, 0, bytes.length);
        const surrounded = Uint8Array.of(9, 9, 9, ...bytes, 7, 7);
        expect(hashOf(surrounded, 3, 3 + bytes.length)).toBe(plain);
        expect(hashOf(Uint8Array.of(...bytes, 0), 0, bytes.length + 1)).not.toBe(plain);
        const changed = bytes.slice();
        const at = pick % bytes.length;
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(hashOf(changed, 0, bytes.length)).not.toBe(plain);
      }),
    );
  });
});

describe('DedupWindow', () => {
  test('knows an id of a tenant again, and not of another tenant', () => {
    const window = new DedupWindow({ windowEvents: 10, seed });
    expect(insertText(window, 'acme', 'order-1')).toBe(true);
    expect(insertText(window, 'acme', 'order-1')).toBe(false);
    expect(insertText(window, 'acne', 'order-1')).toBe(true);
    expect(insertText(window, 'acme', 'order-1')).toBe(false);
    expect(insertText(window, 'acm', 'eorder-1')).toBe(true);
  });

  test('behaves like a set of the newest events with marks, whatever is inserted and rolled back', () => {
    // Few distinct first words make long clusters in the index.
    const key = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 40 }));
    const command = fc.oneof(
      { weight: 12, arbitrary: fc.record({ kind: fc.constant('insert' as const), key }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'mark' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'rollback' as const }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const window = new DedupWindow({ windowEvents: 1, seed });
        let model: string[] = [];
        const marks: { mark: number; model: string[] }[] = [];
        for (const step of commands) {
          if (step.kind === 'mark') marks.push({ mark: window.mark(), model: [...model] });
          else if (step.kind === 'rollback') {
            const saved = marks.pop();
            if (saved === undefined) continue;
            window.rollback(saved.mark);
            model = saved.model;
          } else {
            const words = Uint32Array.of(step.key[0] - 3, step.key[1], 0, 0);
            const isNew = !model.includes(words.join());
            expect(window.insertFingerprint(words, 0)).toBe(isNew);
            if (isNew) model.push(words.join());
          }
          expect(window.size).toBe(model.length);
        }
      }),
    );
  });

  test('forgets in order of insertion and goes on finding everything within the window', () => {
    const window = new DedupWindow({ windowEvents: 1, seed });
    const words = new Uint32Array(4);
    const insert = (value: number): boolean => {
      words[0] = Math.imul(value, 0x9e3779b1);
      words[1] = value;
      return window.insertFingerprint(words, 0);
    };
    const total = 3 * window.capacity;
    for (let value = 0; value < total; value += 1) {
      if (!insert(value)) expect.fail(`${value} was taken for a duplicate`);
    }
    for (let value = total - window.capacity; value < total; value += 1) {
      if (insert(value)) expect.fail(`${value} was forgotten`);
    }
    expect(window.size).toBe(window.capacity);
    expect(insert(total - window.capacity - 1)).toBe(true);
  });

  test('still remembers the whole window after a rollback of insertions that had filled the ring', () => {
    const window = new DedupWindow({ windowEvents: 65_536, seed });
    const words = new Uint32Array(4);
    const insert = (value: number): boolean => {
      words[0] = Math.imul(value, 0x9e3779b1);
      words[1] = value;
      return window.insertFingerprint(words, 0);
    };
    const stored = window.capacity;
    for (let value = 0; value < stored; value += 1) insert(value);
    const mark = window.mark();
    for (let value = 0; value < 65_536; value += 1) insert(stored + value);
    window.rollback(mark);
    for (let value = stored - 65_536; value < stored; value += 1) {
      if (insert(value)) expect.fail(`${value} was forgotten`);
    }
    expect(insert(stored)).toBe(true);
  });

  test('continues on a buffer that another window has filled', () => {
    const buffer = new SharedArrayBuffer(DedupWindow.bufferBytes(5));
    const first = new DedupWindow({ windowEvents: 5, seed, buffer });
    expect(insertText(first, 'acme', 'order-1')).toBe(true);
    const second = new DedupWindow({ windowEvents: 5, seed, buffer });
    expect(insertText(second, 'acme', 'order-1')).toBe(false);
  });
});
