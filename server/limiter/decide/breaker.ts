import { lru } from 'tiny-lru';
import { hashTagOf } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';
import { settleWithin } from '../stores/store-timeout';

export interface BreakerOptions {
  /** Timeout of a call, in ms. */
  timeoutMs: number;
  /** Consecutive calls without a reply that open the breaker. Default: 3. */
  maxFailures?: number;
  /** Time until the first probe, in ms. It doubles with each failed probe, up to `maxOpenMs`. Default: 100. */
  openMs?: number;
  /** Longest time between two probes, in ms. Default: 1000. */
  maxOpenMs?: number;
  /** Returns the milliseconds of a monotonic clock. Default: `performance.now`. */
  clock?: () => number;
  /** Returns a number from 0 up to 1. Default: `Math.random`. */
  random?: () => number;
}

/** `open`: calls fail at once, because the store did not reply. `half-open`: one call probes the store. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A circuit breaker: fails calls at once while the store does not reply. */
export interface Breaker {
  /** Sends a call. Rejects like `withinStoreTimeout`, and at once with a `StoreUnavailableError` while the breaker is open. */
  run<Reply>(send: () => Promise<Reply>): Promise<Reply>;
  state(): BreakerState;
}

/**
 * Creates a circuit breaker (Nygard, "Release It!", 2007). Only timeouts and lost connections open it, because an error
 * reply costs no waiting time. Open times have a jitter from half to all of their length, so that the nodes of a fleet do
 * not probe at the same time.
 */
export function createBreaker({
  timeoutMs,
  maxFailures = 3,
  openMs = 100,
  maxOpenMs = 1000,
  clock = () => performance.now(),
  random = Math.random,
}: BreakerOptions): Breaker {
  let failures = 0;
  let waitMs = openMs;
  let probeAt = 0;
  let probing = false;
  /** A probe that takes longer is lost: a runtime may end the request that sent it, whose promise then never settles. */
  const maxProbeMs = Math.max(timeoutMs, 1_000);

  const isOpen = () => failures >= maxFailures;

  function onFailure(wasProbe: boolean): void {
    failures += 1;
    if (!isOpen()) return;
    // Calls that were in flight when it opened fail later, and must not prolong it.
    if (failures > maxFailures && !wasProbe) return;
    probeAt = clock() + waitMs * (0.5 + random() / 2);
    waitMs = Math.min(maxOpenMs, waitMs * 2);
  }

  function onReply(): void {
    failures = 0;
    waitMs = openMs;
  }

  /** Returns true if the next call is a probe. Throws while the breaker is open. */
  function startCall(): boolean {
    if (!isOpen()) return false;
    if (clock() < probeAt)
      throw new StoreUnavailableError('the circuit breaker is open', { kind: 'breaker-open' });
    probing = true;
    probeAt = clock() + maxProbeMs;
    return true;
  }

  return {
    run: (send) =>
      new Promise((resolve, reject) => {
        const isProbe = startCall();
        settleWithin(send(), {
          timeoutMs,
          resolve(reply) {
            if (isProbe) probing = false;
            onReply();
            resolve(reply);
          },
          reject(error) {
            if (isProbe) probing = false;
            // An error reply costs callers no time.
            if (error.hasNoReply) onFailure(isProbe);
            else onReply();
            reject(error);
          },
        });
      }),
    state() {
      if (!isOpen()) return 'closed';
      return probing ? 'half-open' : 'open';
    },
  };
}

interface BreakersOptions extends BreakerOptions {
  /** True if the keys are on several nodes that may fail independently, as in a cluster. */
  areKeysSpread: boolean;
}

/** The circuit breakers of a store: a cluster node that does not reply does not block calls to the others. */
interface Breakers {
  /** Sends a script call on this key through its breaker, see `Breaker.run`. */
  run<Reply>(key: string, send: () => Promise<Reply>): Promise<Reply>;
  /** Returns the worst state of all breakers in recent use. */
  state(): BreakerState;
}

/** Far above the hash tags of any product: a policy has at most sixteen. */
const MAX_BREAKERS = 4_096;

/** A breaker without calls for this time is deleted: its state is out of date. */
const UNUSED_TTL_MS = 10_000;

/**
 * Creates one breaker for a single store, or one for each hash tag of a cluster. A hash tag is on one node, so an open
 * breaker never blocks calls to a healthy node. A node has many tags, so several breakers must detect its failure. See
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/009-redis-cluster.md.
 */
export function createBreakers({ areKeysSpread, ...options }: BreakersOptions): Breakers {
  if (!areKeysSpread) {
    const breaker = createBreaker(options);
    return { run: (_key, send) => breaker.run(send), state: breaker.state };
  }
  const { clock = () => performance.now() } = options;
  const breakers = lru<{ breaker: Breaker; usedAt: number }>(MAX_BREAKERS);
  return {
    run(key, send) {
      const tag = hashTagOf(key);
      const now = clock();
      const known = breakers.get(tag);
      const isUsed = known !== undefined && now - known.usedAt <= UNUSED_TTL_MS;
      const entry = { breaker: isUsed ? known.breaker : createBreaker(options), usedAt: now };
      breakers.set(tag, entry);
      return entry.breaker.run(send);
    },
    state() {
      const used = breakers.values().filter((entry) => entry && clock() - entry.usedAt <= UNUSED_TTL_MS);
      const states = used.map((entry) => entry?.breaker.state());
      return (['open', 'half-open'] as const).find((worst) => states.includes(worst)) ?? 'closed';
    },
  };
}
