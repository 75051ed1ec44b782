import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BulkRig, nowNs } from './bulk.fixture.ts';

type Document = Readonly<Record<string, unknown>>;
type Leaf = readonly [string, string | null];

/** The mapping in its most obvious form, over parsed objects. */
function leavesOf(prefix: string, value: unknown): Leaf[] {
  if (value === null) return [[prefix, null]];
  if (Array.isArray(value)) return [[prefix, JSON.stringify(value)]];
  if (typeof value !== 'object') return [[prefix, String(value)]];
  if (prefix === 'message' || prefix === 'msg') return [[prefix, JSON.stringify(value)]];
  const members = Object.entries(value);
  if (members.length === 0 && prefix !== '') return [[prefix, '{}']];
  return members.flatMap(([name, member]) =>
    leavesOf(prefix === '' ? name : `${prefix}.${name}`, member),
  );
}

const times = new Map([
  ['2026-01-02T03:00:00Z', 1_767_322_800_000_000_000n],
  ['2026-01-02T02:00:00.5+00:00', 1_767_319_200_500_000_000n],
  ['1700000000', 1_700_000_000_000_000_000n],
  ['1700000000123', 1_700_000_000_123_000_000n],
]);
const levels = new Map<string, readonly [number, string]>([
  ['info', [9, 'INFO']],
  ['WARN', [13, 'WARN']],
  ['err', [17, 'ERROR']],
  ['30', [9, 'INFO']],
  ['3', [17, 'ERROR']],
  ['panic', [21, 'FATAL']],
]);

/** Small numbers are times in `@timestamp` alone. */
function timeOf([name, text]: Leaf): bigint | undefined {
  if (text === null) return undefined;
  if (name === '@timestamp' && /^\d{1,9}$/.test(text)) return BigInt(text) * 1_000_000_000n;
  return times.get(text);
}

/** Zero is a level in syslog alone. */
function levelOf([name, text]: Leaf): readonly [number, string] | undefined {
  if (name === 'syslog.severity' && text === '0') return [21, 'FATAL'];
  return text === null ? undefined : levels.get(text);
}

const isLevel = (leaf: Leaf): boolean => levelOf(leaf) !== undefined;

function best(
  leaves: readonly Leaf[],
  names: readonly string[],
  isGood: (leaf: Leaf) => boolean,
): Leaf | undefined {
  for (const name of names) {
    const leaf = leaves.find(
      ([key, text]) => key === name && text !== null && text !== '' && isGood([key, text]),
    );
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}

function reference(document: Document): unknown {
  const leaves = leavesOf('', document);
  const any = (): boolean => true;
  const time = best(
    leaves,
    ['@timestamp', 'timestamp', 'time', 'date'],
    (leaf) => timeOf(leaf) !== undefined,
  );
  const bodies = ['message', 'msg', 'log', 'event.original'];
  const body =
    best(leaves, bodies, any) ??
    leaves
      .filter(([name, text]) => text === '' && bodies.includes(name))
      .toSorted(([a], [b]) => bodies.indexOf(a) - bodies.indexOf(b))[0];
  const level = best(leaves, ['log.level', 'level', 'severity', 'syslog.severity'], isLevel);
  const rest = leaves.filter(
    (leaf) => leaf !== time && leaf !== body && !(leaf[0] === 'severity' && isLevel(leaf)),
  );
  const attributes = Object.fromEntries(rest);
  if (level !== undefined) {
    const [number, name] = levelOf(level) ?? [0, ''];
    if (!Object.hasOwn(attributes, 'severity')) attributes['severity'] = name;
    attributes['severity_number'] = String(number);
  }
  return {
    timestamp_ns: (time === undefined ? undefined : timeOf(time)) ?? nowNs,
    source: 'logs',
    service: best(rest, ['service.name'], any)?.[1] ?? 'unknown_service',
    body: body?.[1] ?? null,
    idempotency_key: null,
    attributes,
    host: best(rest, ['host.name', 'k8s.node.name', 'host', 'hostname'], any)?.[1] ?? null,
    env: best(rest, ['deployment.environment', 'env'], any)?.[1] ?? null,
    namespace: best(rest, ['namespace'], any)?.[1] ?? null,
    tenant: 'default',
  };
}

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    ...times.keys(),
    ...levels.keys(),
    0,
    30,
    3,
    1_700_000_000,
    true,
    false,
    null,
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `~${text.toWellFormed()}`),
  fc.integer({ min: 1000, max: 99_999_999 }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('name', 'level', 'original', 'severity', 'é"'), scalar, {
    maxKeys: 2,
  }),
);
const names = [
  '@timestamp',
  'timestamp',
  'time',
  'date',
  'message',
  'msg',
  'log',
  'event',
  'event.original',
  'log.level',
  'level',
  'severity',
  'syslog',
  'host',
  'hostname',
  'service',
  'env',
  'namespace',
  'other',
  'message\n',
];
const documents = fc.dictionary(fc.constantFrom(...names), value, {
  maxKeys: 8,
  noNullPrototype: true,
});

/** Escapes every character, as some encoders do for all but ASCII. */
function escapeAll(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const plain = JSON.parse(text) as string;
    const units = Array.from({ length: plain.length }, (_, at) => plain.charCodeAt(at));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  });
}

describe('DocumentReader', () => {
  it('maps every document as the plain mapping does, escaped or not', () => {
    fc.assert(
      fc.property(documents, fc.boolean(), (document, isEscaped) => {
        const keys = leavesOf('', document).map(([key]) => key);
        fc.pre(new Set(keys).size === keys.length && !keys.includes('severity_number'));
        // A structured message is kept as it was written, escapes included.
        const structured = [document['message'], document['msg']].some(
          (one) => typeof one === 'object' && one !== null,
        );
        const hasArray = keys.length > 0 && /[[{]/.test(JSON.stringify(Object.values(document)));
        const json = JSON.stringify(document);
        const isChanged = isEscaped && !structured && !hasArray;
        const rig = new BulkRig();
        rig.send(`{"create":{"_index":"logs"}}\n${isChanged ? escapeAll(json) : json}\n`);
        expect(rig.rows()).toEqual([reference(document)]);
      }),
      {
        numRuns: 1500,
        examples: [
          [{ level: '30', severity: null }, false],
          [{ severity: null, level: '30' }, false],
          [{ level: '30', severity: '' }, true],
        ],
      },
    );
  });

  it('keeps the second of two fields of one name beside the first', () => {
    const rig = new BulkRig();
    rig.send(
      '{"create":{}}\n{"message":"one","message":"two","msg":"three","log.level":"info","log":{"level":"warn"}}\n',
    );
    expect(rig.rows()[0]).toMatchObject({
      body: 'one',
      attributes: {
        message: 'two',
        msg: 'three',
        'log.level': 'info',
        'duplicate.log.level': 'warn',
        severity: 'INFO',
      },
    });
  });
});
