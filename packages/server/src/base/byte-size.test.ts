import { expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from './byte-size.ts';
import { formatListenAddress, parseListenAddress } from './listen-address.ts';

it.each([
  ['0', 0],
  ['65536', 65_536],
  ['64MiB', 64 * 2 ** 20],
  ['64 mib', 64 * 2 ** 20],
  ['1.5GiB', 1.5 * 2 ** 30],
  ['2MB', 2e6],
  ['7b', 7],
  ['-1', undefined],
  ['1e6', undefined],
  ['0.3KiB', undefined],
  ['9PiB', undefined],
  ['', undefined],
  ['99999999TiB', undefined],
])('reads the size %s as %s bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [100 * 2 ** 30, '100 GiB'],
])('shows %s bytes as %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text);
});

it.each([
  ['off', 'off'],
  [':4318', '0.0.0.0:4318'],
  ['localhost:0', 'localhost:0'],
  ['[::1]:80', '[::1]:80'],
])('reads the address %s and shows it as %s', (text, shown) => {
  const address = parseListenAddress(text);
  expect(address === undefined ? undefined : formatListenAddress(address)).toBe(shown);
});

it.each(['', '4318', 'host', 'host:', 'host:65536', '::1:80', 'a b:1', 'http://a:1'])(
  'reads no address in "%s"',
  (text) => {
    expect(parseListenAddress(text)).toBeUndefined();
  },
);
