import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testKeys } from '../../../test/store-commands';
import { StoreUnavailableError } from '../stores/store-error';
import { holdLease, type Lease, type LeaseCommands } from './lease';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const lease: Lease = {
  id: 'a',
  leaseMs: 30_000,
  keys: testKeys('', () => ''),
  held: { levels: [], levelIndexes: [] },
};

/** Commands that list what they were called for. */
function startCommands(renew: () => Promise<boolean> = async () => true) {
  const calls: string[] = [];
  const commands: LeaseCommands = {
    renew() {
      calls.push('renew');
      return renew();
    },
    async release() {
      calls.push('release');
      return true;
    },
  };
  return { calls, commands };
}

test('a lease is renewed every third of its length until it is released', async () => {
  const { calls, commands } = startCommands();
  const release = holdLease(commands, lease);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(calls).toEqual(['renew', 'renew']);
  release();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual(['renew', 'renew', 'release']);
});

test('a lease is released once', () => {
  const { calls, commands } = startCommands();
  const release = holdLease(commands, lease);
  release();
  release();
  expect(calls).toEqual(['release']);
});

test('a renewal that the store does not answer is followed by the next', async () => {
  const { calls, commands } = startCommands(() => Promise.reject(new StoreUnavailableError('down')));
  const release = holdLease(commands, lease);
  await vi.advanceTimersByTimeAsync(20_000);
  release();
  expect(calls).toEqual(['renew', 'renew', 'release']);
});

test('a lease that has ended is neither renewed nor released', async () => {
  const { calls, commands } = startCommands(async () => false);
  const release = holdLease(commands, lease);
  await vi.advanceTimersByTimeAsync(30_000);
  release();
  expect(calls).toEqual(['renew']);
});
