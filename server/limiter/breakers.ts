import { LRUCache } from 'lru-cache';
import { type Breaker, type BreakerOptions, type BreakerState, createBreaker } from './breaker';
import { hashTagOf } from './key';

export interface BreakersOptions extends BreakerOptions {
  /** Whether the keys are spread over nodes that may fail one by one, as a cluster's are. */
  areKeysSpread: boolean;
}

/** The breakers of a store: a part that is silent keeps nobody from asking the others. */
export interface Breakers {
  /** As `Breaker.run`, for a script that works on this key. */
  run<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** The worst of any part that was asked for lately. */
  state(): BreakerState;
}

/** Far above the hash tags of any product: a policy has at most sixteen. */
const MAX_BREAKERS = 4_096;
/** A part that nobody has asked for this long is forgotten: its breaker tells nothing of the store as it is now. */
const UNUSED_TTL_MS = 10_000;

/**
 * One breaker for a store that fails as a whole; one for each hash tag where keys are spread. A tag lies on one node of
 * a cluster, so a breaker that is open is open for a reason; a node has many tags, so each pays for finding out. See
 * docs/decisions/009-redis-cluster.md.
 */
export function createBreakers({ areKeysSpread, ...options }: BreakersOptions): Breakers {
  const { clock = () => performance.now() } = options;
  const parts = new LRUCache<string, Breaker>({
    max: MAX_BREAKERS,
    ttl: areKeysSpread ? UNUSED_TTL_MS : 0,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: clock },
  });

  function breakerOf(part: string): Breaker {
    const known = parts.get(part);
    if (known) return known;
    const breaker = createBreaker(options);
    parts.set(part, breaker);
    return breaker;
  }

  return {
    run: (key, ask) => breakerOf(areKeysSpread ? hashTagOf(key) : '').run(ask),
    state: () => worstOf([...parts.values()].map((breaker) => breaker.state())),
  };
}

function worstOf(states: readonly BreakerState[]): BreakerState {
  const worstFirst = ['open', 'half-open', 'closed'] as const;
  return worstFirst.find((state) => states.includes(state)) ?? 'closed';
}
