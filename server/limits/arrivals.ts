import { randomUUID } from 'node:crypto';
import { type DecisionOutcome, withinStoreTimeout } from '../limiter';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { arrivalKeys, ratesKey } from '../redis/keys';
import type { Arrival } from './arrival';
import { decodeBatch, encodeBatch } from './arrival-batch';
import type { Catalogue } from './catalogue';

/** All arrivals of a policy within a stretch of time, in their order. */
export interface RecentArrivals {
  /**
   * Epoch ms by Redis's clock. None of [from, to] is missing, unless a node died before it told; where `from` is after
   * `to`, of no stretch all are known.
   */
  from: number;
  to: number;
  arrivals: Arrival[];
}

/** Captures what arrives, for whoever wants to know what other limits would have done to it. */
export interface Arrivals {
  /** Notes a call: about a microsecond, nothing is asked. */
  capture(outcome: DecisionOutcome): void;
  /** Brings what was captured to where all nodes read it. To be called every half second. */
  flush(): Promise<void>;
  /** The last minutes of a policy, on all nodes. Throws `StoreUnavailableError`. */
  recent(policy: Catalogue[number]): Promise<RecentArrivals>;
}

export interface ArrivalsOptions {
  redis: RedisClient;
  /** This node's name. */
  node: string;
  /** Redis's clock, as far as this node knows it. */
  storeNow: () => number;
  /**
   * How many arrivals of one policy are held, on all nodes together. In a flood up to four times as many, so that there
   * is a stretch of which all are known. Default: 5000, by which there is one up to about 10 000 a second.
   */
  most?: number;
  /** For how long, in ms. Default: 5 minutes. */
  keepMs?: number;
}

/** What came later than that may not have been brought by every node. */
const SETTLED_AFTER_MS = 1_500;
const WAIT_MS = 1_000;

/** What this node has noted of one policy. */
interface Captured {
  /** Names of the policy's levels, in its order. */
  levels: readonly string[];
  arrivals: Arrival[];
  /** Before it arrivals were lost, since they came faster than they could be told; 0 where none was. */
  since: number;
  /** What Redis has not said yes to. It is brought again as it is, so that it is kept once. */
  unsent?: Batch | undefined;
}

interface Batch {
  id: string;
  levels: readonly string[];
  arrivals: Arrival[];
  since: number;
}

/**
 * Under a flood the newest arrivals are kept and the stretch is shorter: a sample would be decided otherwise than the
 * whole, by any limit.
 */
export function createArrivals({
  redis,
  node,
  storeNow,
  most = 5_000,
  keepMs = 300_000,
}: ArrivalsOptions): Arrivals {
  const keep = defineScript(redis, {
    command: 'floodgateKeepArrivals',
    file: 'limits/keep-arrivals.lua',
    numberOfKeys: 2,
  });
  const captured = new Map<string, Captured>();

  async function bring(policy: string, { id, levels, arrivals, since }: Batch): Promise<void> {
    const { batches, about } = arrivalKeys(policy);
    const instants = arrivals.map(({ at }) => at);
    const [first, last] = [Math.min(...instants), Math.max(...instants)];
    const aboutBatch = [id, encodeBatch(arrivals, levels), arrivals.length, first, last, since];
    const keeping = keep([batches, about], [node, ...aboutBatch, most, keepMs, SETTLED_AFTER_MS]);
    await withinStoreTimeout(keeping, WAIT_MS);
  }

  async function flushOne(policy: string, of: Captured): Promise<void> {
    if (!of.unsent && of.arrivals.length > 0) {
      const { arrivals, since } = newest(of, most);
      of.unsent = { id: randomUUID(), levels: of.levels, arrivals, since };
      of.arrivals = [];
      of.since = 0;
    }
    if (!of.unsent) return;
    await bring(policy, of.unsent);
    of.unsent = undefined;
  }

  return {
    capture(outcome) {
      let of = captured.get(outcome.policy);
      if (!of) {
        of = { levels: outcome.counted.map(({ level }) => level), arrivals: [], since: 0 };
        captured.set(outcome.policy, of);
      }
      of.arrivals.push(toArrival(outcome, storeNow));
      // Cutting costs as much as it keeps, so it is done once in so many.
      if (of.arrivals.length > 2 * most) Object.assign(of, newest(of, most));
    },

    async flush() {
      const flushed = await Promise.allSettled([...captured].map(([policy, of]) => flushOne(policy, of)));
      const failed = flushed.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },

    async recent({ name, levels }) {
      const { batches, about } = arrivalKeys(name);
      // In this order: what is let go of between the two is also said to be missing.
      const [texts, reaches, since] = await withinStoreTimeout(
        Promise.all([
          redis.lrange(batches, 0, -1),
          redis.hget(about, 'reaches'),
          redis.hget(ratesKey, 'since'),
        ]),
        WAIT_MS,
      );
      const now = storeNow();
      const to = now - SETTLED_AFTER_MS;
      // What was brought to a Redis before it was emptied is missing; nodes write their rates at once to one that was.
      const from = Math.max(Number(reaches ?? 0), Number(since ?? now), to - keepMs);
      const names = levels.map(({ level }) => level);
      const arrivals = texts
        .flatMap((text) => decodeBatch(text.slice(text.indexOf(' ', text.indexOf(' ') + 1) + 1), names))
        .filter(({ at }) => at >= from && at <= to)
        .sort((one, other) => one.at - other.at);
      return { from, to, arrivals };
    },
  };
}

function newest({ arrivals, since }: Captured, most: number): Pick<Captured, 'arrivals' | 'since'> {
  if (arrivals.length <= most) return { arrivals, since };
  const kept = arrivals.slice(-most);
  return { arrivals: kept, since: kept[0]?.at ?? since };
}

function toArrival({ decision, counted }: DecisionOutcome, storeNow: () => number): Arrival {
  const subjects = counted.map(({ name, subject }) => (subject === undefined ? null : name));
  // Where the store was not asked, the decision knows no clock but this node's.
  if (!decision) return { at: storeNow(), outcome: 'unavailable', subjects };
  if (decision.degraded) return { at: storeNow(), outcome: 'degraded', subjects };
  if (!decision.allowed) {
    const outcome = decision.reason === 'banned' ? 'banned' : 'refused';
    return { at: decision.now, outcome, refusedBy: decision.refusedBy.level, subjects };
  }
  const at = decision.levels.length > 0 ? decision.now : storeNow();
  return { at, outcome: decision.replayed ? 'replayed' : 'admitted', subjects };
}
