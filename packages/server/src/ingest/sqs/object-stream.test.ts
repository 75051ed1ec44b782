import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedObject } from './inflater.ts';
import { type FormattedSlice, ObjectStream, type ObjectStreamOptions } from './object-stream.ts';

async function* chunksOf(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(
  content: Uint8Array | string,
  options: Partial<ObjectStreamOptions> & { readonly chunkBytes?: number } = {},
) {
  const stream = new ObjectStream({ maxBytes: 1 << 24, maxEntryBytes: 1 << 20, ...options });
  const slices: FormattedSlice[] = [];
  let failure: unknown;
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for await (const slice of stream.read(chunksOf(bytes, options.chunkBytes ?? 1 << 16))) {
      slices.push(slice);
    }
  } catch (error) {
    failure = error;
  }
  const texts = slices.map(({ bytes }) => Buffer.from(bytes).toString());
  return { slices, texts, failure, tooLong: stream.tooLong };
}

const skippable = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4);

describe('compression', () => {
  const parts = ['first line\n', 'second line\n'.repeat(5000), '', 'third line\n'];
  const plain = parts.join('');
  const packed = {
    none: Buffer.from(plain),
    gzip: Buffer.concat(parts.map((part) => gzipSync(part))),
    zstd: Buffer.concat([
      skippable,
      ...parts.flatMap((part) => [zstdCompressSync(Buffer.from(part)), skippable]),
    ]),
  };

  it.each(['none', 'gzip', 'zstd'] as const)(
    '%s is told by its first bytes and read in several parts, however it is cut',
    async (kind) => {
      for (const chunkBytes of [1, 2, 3, 7, 100, 8192, 1 << 20]) {
        const { texts, failure } = await read(packed[kind], { chunkBytes });
        expect(failure).toBeUndefined();
        expect(texts.join('')).toBe(plain);
      }
    },
    20_000,
  );

  it.each(['gzip', 'zstd'] as const)('%s that is cut gives what came before', async (kind) => {
    for (const cut of [1, 5, 10]) {
      const content = packed[kind].subarray(0, packed[kind].length - skippable.length - cut);
      const { texts, failure } = await read(content);
      expect(failure).toBeInstanceOf(DamagedObject);
      expect(texts.join('')).toContain(parts[1]);
    }
  });

  it('gzip with garbage behind it gives most of what came before', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    const { texts, failure } = await read(Buffer.concat([gzipSync(lines), Buffer.from('garbage')]));
    expect(failure).toBeInstanceOf(DamagedObject);
    expect(lines.startsWith(texts.join(''))).toBe(true);
    expect(texts.join('').length).toBeGreaterThan(lines.length * 0.9);
  });

  it('stops at the limit of the decompressed size', async () => {
    const { failure } = await read(gzipSync(Buffer.alloc(1 << 20, 'a\n')), { maxBytes: 100_000 });
    expect(failure).toMatchObject({ code: 'request_body_too_large' });
  });
});

it('gives out nothing behind the last whole entry when the source fails', async () => {
  const lines = 'a whole line\n'.repeat(10_000);
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${lines}half a li`);
    throw new Error('connection reset');
  }
  const stream = new ObjectStream({ maxBytes: 1 << 24, maxEntryBytes: 1 << 20, sliceBytes: 1000 });
  let text = '';
  const reading = (async () => {
    for await (const { bytes } of stream.read(failing())) text += Buffer.from(bytes).toString();
  })();
  await expect(reading).rejects.toThrow('connection reset');
  expect(lines.startsWith(text)).toBe(true);
  expect(text.endsWith('\n')).toBe(true);
});

describe('slices', () => {
  it('hold whole lines at their offsets, however the content is cut', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '"', '{', ' '), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 50 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 100 }),
        async (lines, chunkBytes, sliceBytes) => {
          const content = Buffer.from(`x${lines.join('\n')}`);
          const { slices } = await read(content, { chunkBytes, sliceBytes });
          let at = 0;
          for (const { offset, bytes } of slices) {
            expect(offset).toBe(at);
            at += bytes.length;
            if (at < content.length) expect(bytes.at(-1)).toBe(0x0a);
          }
          expect(Buffer.concat(slices.map(({ bytes }) => bytes))).toEqual(content);
        },
      ),
    );
  });

  it('leave an entry out that is too long, and go on behind it', async () => {
    const content = `short\n${'x'.repeat(200_000)}\nnext\n${'y'.repeat(200_000)}`;
    const { texts, tooLong } = await read(content, { maxEntryBytes: 1000, chunkBytes: 777 });
    expect(texts.join('')).toBe('short\nnext\n');
    expect(tooLong).toBe(2);
  });
});

describe('the format', () => {
  const flow = 'version account-id interface-id srcaddr dstaddr log-status';
  it.each([
    ['{"a":1}\n{"a":2}\n', 'lines'],
    ['\ufeff{"a":1}\n', 'lines'],
    ['{"a":1}', 'lines'],
    ['{broken\n{"a":2}\n', 'lines'],
    ['{\n"a":1\n}\n', 'json'],
    ['[{"a":1},\n{"a":2}]', 'json_array'],
    ['\r\n [\n{"a":1}\n]', 'json_array'],
    ['["a"]\n["b"]\n', 'lines'],
    ['{"Records":[]}', 'records'],
    ['\ufeff{ "Records": [{"eventID":"e"}]}', 'records'],
    ['[2026-01-01 00:00:00] text\n', 'lines'],
    ['text', 'lines'],
    [`${flow}\n2 1 eni a b OK\n`, 'flow_log'],
    [
      '2 123456789010 eni-1 1.2.3.4 1.2.3.5 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK\n',
      'flow_log',
    ],
    ['h2 2026-01-02T03:04:05.1Z app/lb/50dc 1.2.3.4:1 - -1 -1 -1 400 - 0 0 "- -" "-"\n', 'alb'],
  ])('of %j is %s', async (content, format) => {
    const { slices } = await read(content);
    expect(slices.map((slice) => slice.format)).toEqual([format]);
  });

  it('of a flow log comes with the names of its fields', async () => {
    const { slices } = await read(`${flow}\n2 1 eni a b OK\n`);
    expect(slices[0]?.header).toBe(flow);
  });

  it('of a column file is refused', async () => {
    const { failure } = await read(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(100)]));
    expect(failure).toMatchObject({ code: 'request_unsupported_media_type' });
  });
});

it('reads an empty object as nothing', async () => {
  expect(await read('')).toMatchObject({ slices: [], failure: undefined });
});
