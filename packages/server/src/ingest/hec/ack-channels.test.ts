import { expect, it } from 'vitest';
import { AckChannels } from './ack-channels.ts';

it('forgets the channel that was used least recently, and then counts it from 0', () => {
  const acks = new AckChannels();
  acks.issue('kept');
  acks.issue('idle');
  for (let index = 0; index < 9_998; index++) acks.issue(`c${index}`);
  acks.issue('kept');
  acks.issue('one more');
  expect(acks.size).toBe(10_000);
  expect(acks.take('idle', 0)).toBe(false);
  expect([acks.take('kept', 0), acks.take('kept', 1)]).toEqual([true, true]);
  expect(acks.issue('idle')).toBe(0);
});

it('forgets the oldest ids of a channel that never asks', () => {
  const acks = new AckChannels();
  for (let index = 0; index <= 10_000; index++) expect(acks.issue('silent')).toBe(index);
  expect(acks.pending).toBe(10_000);
  expect(acks.take('silent', 0)).toBe(false);
  expect(acks.take('silent', 10_000)).toBe(true);
  expect(acks.pending).toBe(9_999);
});

it('bounds the ids of all channels together', () => {
  const acks = new AckChannels();
  for (let channel = 0; channel < 60; channel++) {
    for (let index = 0; index < 10_000; index++) acks.issue(`c${channel}`);
  }
  expect(acks.pending).toBeLessThanOrEqual(500_000);
  expect(acks.take('c59', 9_999)).toBe(true);
});
