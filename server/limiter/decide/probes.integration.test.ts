import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedisProxy } from '../../../test/services/redis-proxy';
import { stores } from '../../../test/stores';
import { waitUntil } from '../../../test/wait-until';
import { createLimiter, type Limiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import type { ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Decision } from './decision';

/**
 * The five ways in which limiters let more in than they say. Each of them is a test by its name, on one node and on
 * two, on every store.
 */
const fleets = [
  { fleet: 'one node', size: 1 },
  { fleet: 'two nodes', size: 2 },
];

describe.each(stores)('on $store', ({ storeUrl }) => {
  describe.each(fleets)('with $fleet', ({ size }) => {
    test('500 concurrent calls: exactly the limit is admitted', async () => {
      const { decide } = await fleetOf(size, await storeUrl());
      const policy = policyOf({ limit: 100, windowMs: 60_000 });
      const decisions = await Promise.all(Array.from({ length: 500 }, () => decide(policy)));
      expect(admittedOf(decisions)).toBe(100);
    });

    test("spending at a window's edge: no window that lies across it holds more than the limit", async () => {
      const clock = { now: 1_795_226_300_000 };
      const { decide } = await fleetOf(size, await storeUrl(), { clock: () => clock.now });
      const policy = policyOf({ limit: 10, windowMs: 1_000 });
      const admitted: number[] = [];
      // Just before each full second, and again just after it, everybody spends whatever there is.
      for (let second = 1; second <= 4; second += 1) {
        for (const offset of [-1, 0, 1, 499, 998]) {
          clock.now = 1_795_226_300_000 + second * 1_000 + offset;
          for (const { allowed } of await Promise.all(Array.from({ length: 25 }, () => decide(policy)))) {
            if (allowed) admitted.push(clock.now);
          }
        }
      }
      for (const end of admitted) {
        expect(admitted.filter((at) => at > end - 1_000 && at <= end).length).toBeLessThanOrEqual(10);
      }
      expect(admitted.length).toBeGreaterThanOrEqual(40);
    });

    test('many calls in one millisecond: each of them counts', async () => {
      const clock = { now: 1_795_226_300_000 };
      const { decide } = await fleetOf(size, await storeUrl(), { clock: () => clock.now });
      const policy = policyOf({ limit: 7, windowMs: 1_000 });
      const decisions = await Promise.all(Array.from({ length: 60 }, () => decide(policy)));
      expect(admittedOf(decisions)).toBe(7);
    });

    test('a client clock 5 s off: the clock of the store is the only one', async () => {
      const { decide } = await fleetOf(size, await storeUrl());
      const policy = policyOf({ limit: 50, windowMs: 3_000 });
      let reads = 0;
      const wrongClocks = vi
        .spyOn(Date, 'now')
        .mockImplementation(() => performance.timeOrigin + (reads++ % size === 0 ? 5_000 : -5_000));
      onTestFinished(() => wrongClocks.mockRestore());
      const decisions = await Promise.all(Array.from({ length: 300 }, () => decide(policy)));
      expect(admittedOf(decisions)).toBe(50);
    });

    test('a lost reply: the call may have counted, its repetition under its id does not, and nothing is sent twice', async () => {
      const proxy = await startRedisProxy(await storeUrl());
      onTestFinished(() => proxy.stop());
      const { decide, nodes } = await fleetOf(size, proxy.url);
      const policy = policyOf({ limit: 3, windowMs: 60_000 });
      await Promise.all(nodes.map(() => decide(policy, 'first')));
      proxy.loseReplies();
      await expect(decide(policy, 'lost')).rejects.toBeInstanceOf(StoreUnavailableError);
      proxy.restoreReplies();
      const repeated = await waitUntil(() => decide(policy, 'lost').catch(ignoreUnavailable));
      expect(repeated).toMatchObject({ allowed: true, replayed: true, levels: [{ used: 2 }] });
    });
  });
});

/** Calls go round the nodes; each has a connection of its own. */
async function fleetOf(size: number, url: string, options: Partial<LimiterOptions> = {}) {
  const prefix = freshPrefix();
  const nodes: Limiter[] = [];
  for (let node = 0; node < size; node += 1) {
    const redis = await connectTestRedis(url);
    onTestFinished(() => redis.disconnect());
    nodes.push(
      createLimiter({
        store: ioredisStore(redis),
        secret: 'a secret of at least 32 characters',
        prefix,
        timeoutMs: 2_000,
        ...options,
      }),
    );
  }
  let calls = 0;
  const decide = (policy: ResolvedPolicy<unknown>, requestId?: string): Promise<Decision> =>
    (nodes[calls++ % size] as Limiter).decide(policy, { subjects: {}, requestId });
  return { nodes, decide };
}

function policyOf(window: { limit: number; windowMs: number }): ResolvedPolicy<unknown> {
  const level = { level: 'global', ...window };
  return resolvePolicy({ name: 'probe', levels: [level], message: { en: 'Too many.' } }, 'probe');
}

function admittedOf(decisions: readonly Decision[]): number {
  return decisions.filter(({ allowed }) => allowed).length;
}

/** A connection that broke is being made anew. */
function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof StoreUnavailableError) return undefined;
  throw error;
}
