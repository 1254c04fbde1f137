import { randomUUID } from 'node:crypto';
import { type DecisionOutcome, withinStoreTimeout } from '../limiter/index';
import { defineScript } from '../limiter/stores';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { RedisClient } from '../redis/client';
import { arrivalKeys, heartbeatsKey } from '../redis/keys';
import { type Arrival, decodeBatch, encodeBatch } from './arrival';

/** All arrivals of a policy within a time range, oldest first. */
export interface RecentArrivals {
  /**
   * Epoch ms by Redis's clock. [from, to] is complete, except for arrivals that a node held when it died. There is no
   * complete range if `from` is after `to`.
   */
  from: number;
  to: number;
  arrivals: Arrival[];
}

/** Captures arrivals, so that the what-if can replay them under other limits. */
export interface Arrivals {
  /** Records a call in memory. */
  capture(outcome: DecisionOutcome): void;
  /** Sends the captured arrivals to Redis. Call it every 500 ms. */
  flushArrivals(): Promise<void>;
  /** Reads the last minutes of a policy, of all nodes. Throws `StoreUnavailableError`. */
  readRecent(policy: PolicyRegistry[number]): Promise<RecentArrivals>;
}

export interface ArrivalsOptions {
  redis: RedisClient;
  /** The name of this node. */
  node: string;
  /** Redis's clock in epoch ms, as this node estimates it. */
  storeNow: () => number;
  /**
   * Maximum number of stored arrivals of one policy, of all nodes together. A flood may store four times as many, so
   * that a complete range exists. Default: 5000, which gives one up to about 10,000 arrivals per second.
   */
  maxArrivals?: number;
  /** Lifetime of a stored arrival, in ms. Default: 5 minutes. */
  keepMs?: number;
}

/** Younger arrivals may not have been sent by every node yet. */
const COMPLETE_AFTER_MS = 1_500;
const STORE_TIMEOUT_MS = 1_000;

/** The arrivals of one policy that this node has captured. */
interface Captured {
  /** Names of the policy's levels, in the policy's order. */
  levels: readonly string[];
  arrivals: Arrival[];
  /** Arrivals before this instant were dropped because they came faster than they could be sent; 0 if none was. */
  since: number;
  /** A batch that Redis has not confirmed. It is sent again unchanged, so that Redis stores it once. */
  unsent?: Batch | undefined;
}

interface Batch {
  id: string;
  levels: readonly string[];
  arrivals: Arrival[];
  since: number;
}

/**
 * Creates the arrivals of this node. A flood keeps the newest arrivals and shortens the range. Sampling is not possible:
 * any limit decides a sample differently.
 */
export function createArrivals({
  redis,
  node,
  storeNow,
  maxArrivals = 5_000,
  keepMs = 300_000,
}: ArrivalsOptions): Arrivals {
  const appendArrivals = defineScript(redis, {
    command: 'floodgateAppendArrivals',
    file: 'fleet/append-arrivals.lua',
    numberOfKeys: 2,
  });
  const captured = new Map<string, Captured>();

  async function sendBatch(policy: string, { id, levels, arrivals, since }: Batch): Promise<void> {
    const { batches, about } = arrivalKeys(policy);
    const instants = arrivals.map(({ at }) => at);
    const [first, last] = [Math.min(...instants), Math.max(...instants)];
    const batch = [id, encodeBatch(arrivals, levels), arrivals.length, first, last, since];
    const appending = appendArrivals(
      [batches, about],
      [node, ...batch, maxArrivals, keepMs, COMPLETE_AFTER_MS],
    );
    await withinStoreTimeout(appending, STORE_TIMEOUT_MS);
  }

  async function flushPolicy(policy: string, buffer: Captured): Promise<void> {
    if (!buffer.unsent && buffer.arrivals.length > 0) {
      const { arrivals, since } = keepNewest(buffer, maxArrivals);
      buffer.unsent = { id: randomUUID(), levels: buffer.levels, arrivals, since };
      buffer.arrivals = [];
      buffer.since = 0;
    }
    if (!buffer.unsent) return;
    await sendBatch(policy, buffer.unsent);
    buffer.unsent = undefined;
  }

  return {
    capture(outcome) {
      let buffer = captured.get(outcome.policy);
      if (!buffer) {
        buffer = { levels: outcome.counted.map(({ level }) => level), arrivals: [], since: 0 };
        captured.set(outcome.policy, buffer);
      }
      buffer.arrivals.push(toArrival(outcome, storeNow));
      // A cut copies the array, so it is made once per `maxArrivals` calls.
      if (buffer.arrivals.length > 2 * maxArrivals) Object.assign(buffer, keepNewest(buffer, maxArrivals));
    },

    async flushArrivals() {
      const flushed = await Promise.allSettled(
        [...captured].map(([policy, buffer]) => flushPolicy(policy, buffer)),
      );
      const failed = flushed.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },

    async readRecent({ name, levels }) {
      const { batches, about } = arrivalKeys(name);
      // `reaches` is read after the batches, so that it covers a batch that is dropped between the two reads.
      const [texts, reaches, since] = await withinStoreTimeout(
        Promise.all([
          redis.lrange(batches, 0, -1),
          redis.hget(about, 'reaches'),
          redis.hget(heartbeatsKey, 'since'),
        ]),
        STORE_TIMEOUT_MS,
      );
      const now = storeNow();
      const to = now - COMPLETE_AFTER_MS;
      // Batches from before a Redis was emptied are lost. `since` is about that instant: the next heartbeat sets it.
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

function keepNewest({ arrivals, since }: Captured, max: number): Pick<Captured, 'arrivals' | 'since'> {
  if (arrivals.length <= max) return { arrivals, since };
  const kept = arrivals.slice(-max);
  return { arrivals: kept, since: kept[0]?.at ?? since };
}

function toArrival({ decision, counted }: DecisionOutcome, storeNow: () => number): Arrival {
  const subjects = counted.map(({ pseudonym, subject }) => (subject === undefined ? null : pseudonym));
  // A decision without a store call has no time of Redis's clock.
  if (!decision) return { at: storeNow(), outcome: 'unavailable', subjects };
  if (decision.degraded) return { at: storeNow(), outcome: 'degraded', subjects };
  if (!decision.allowed) {
    const outcome = decision.reason === 'banned' ? 'banned' : 'refused';
    return { at: decision.now, outcome, refusedBy: decision.refusedBy.level, subjects };
  }
  const at = decision.levels.length > 0 ? decision.now : storeNow();
  return { at, outcome: decision.replayed ? 'replayed' : 'admitted', subjects };
}
