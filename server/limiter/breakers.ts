import { LRUCache } from 'lru-cache';
import { type Breaker, type BreakerOptions, type BreakerState, createBreaker } from './breaker';
import { hashTagOf } from './key';

export interface BreakersOptions extends BreakerOptions {
  /** True if the keys are on several nodes that may fail independently, as in a cluster. */
  areKeysSpread: boolean;
}

/** The circuit breakers of a store: a cluster node that does not reply does not block calls to the others. */
export interface Breakers {
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
 * docs/decisions/009-redis-cluster.md.
 */
export function createBreakers({ areKeysSpread, ...options }: BreakersOptions): Breakers {
  const { clock = () => performance.now() } = options;
  const breakers = new LRUCache<string, Breaker>({
    max: MAX_BREAKERS,
    ttl: areKeysSpread ? UNUSED_TTL_MS : 0,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: clock },
  });

  function getBreaker(hashTag: string): Breaker {
    const known = breakers.get(hashTag);
    if (known) return known;
    const breaker = createBreaker(options);
    breakers.set(hashTag, breaker);
    return breaker;
  }

  return {
    run: (key, send) => getBreaker(areKeysSpread ? hashTagOf(key) : '').run(send),
    state: () => worstOf([...breakers.values()].map((breaker) => breaker.state())),
  };
}

function worstOf(states: readonly BreakerState[]): BreakerState {
  const worstFirst = ['open', 'half-open', 'closed'] as const;
  return worstFirst.find((state) => states.includes(state)) ?? 'closed';
}
