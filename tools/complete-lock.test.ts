import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Lock, missingEntries } from './complete-lock.ts';

const lock: Lock = {
  packages: {
    '': {},
    'node_modules/tool': {
      version: '2.0.0',
      dev: true,
      optionalDependencies: {
        '@tool/linux-x64-musl': '2.0.0',
        '@tool/darwin-arm64': '2.0.0',
        fsevents: '~2.3.2',
      },
    },
    'node_modules/@tool/darwin-arm64': { version: '2.0.0', optional: true },
    'node_modules/other/node_modules/tool': {
      version: '1.0.0',
      optionalDependencies: { '@tool/darwin-arm64': '1.0.0' },
    },
  },
};

describe('lock file completion', () => {
  it('adds what is missing, beside the package that asks for it', () => {
    expect(Object.fromEntries(missingEntries(lock))).toEqual({
      'node_modules/@tool/linux-x64-musl': {
        version: '2.0.0',
        dev: true,
        optional: true,
        os: ['linux'],
        cpu: ['x64'],
        libc: ['musl'],
      },
      'node_modules/other/node_modules/@tool/darwin-arm64': {
        version: '1.0.0',
        optional: true,
        os: ['darwin'],
        cpu: ['arm64'],
      },
    });
  });

  it('finds nothing to add to the lock file of the repository', () => {
    const own = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    expect(Object.keys(own.packages).length).toBeGreaterThan(100);
    expect([...missingEntries(own).keys()]).toEqual([]);
  });
});
