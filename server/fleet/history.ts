import { z } from 'zod';
import { withinStoreTimeout } from '../limiter/index';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { RedisClient } from '../redis/client';
import { historyKey } from '../redis/keys';
import type { DecisionTotals } from './decision-counter';
import {
  bucketOfTotal,
  EVERY_LEVEL,
  type Latency,
  latencyOf,
  nameOfTotal,
  outcomes,
  timeTotal,
} from './totals';

/** The decisions of one second, of all nodes. */
export interface HistoryPoint {
  /** Start of the second, epoch ms by Redis's clock. Nodes report every 500 ms, so some decisions may be of the second before. */
  at: number;
  /** The levels with decisions. */
  levels: DecisionTotals[];
  /** The sum of the decision times of each policy in ms. Absent if only nodes of an older version decided. */
  decisionMs?: Record<string, number> | undefined;
}

/** The decisions of the fleet in the last ten minutes. */
export interface History {
  /** Reads the seconds since the last refresh, at most all ten minutes. Throws `StoreUnavailableError`. */
  refreshHistory(options: { now: number; policies: PolicyRegistry }): Promise<void>;
  /** Returns the completed seconds from `from` on, oldest first. */
  points(from?: number): HistoryPoint[];
  /** Returns the latency of the decisions from `from` on; null if there were none. */
  latency(from: number): Latency | null;
}

const SECOND_MS = 1_000;
/** The same number as in lua/fleet/heartbeat.lua. */
const KEPT_SECONDS = 600;
const STORE_TIMEOUT_MS = 250;

const stored = z.object({ at: z.number(), gains: z.record(z.string(), z.number()).or(z.tuple([])) });

interface KeptSecond {
  point: HistoryPoint;
  latency: ReadonlyMap<number, number>;
}

/** Creates the history. All nodes read the same seconds from Redis, also those that a dead node wrote. */
export function createHistory({ redis }: { redis: RedisClient }): History {
  const kept = new Map<number, KeptSecond>();
  let readUntil = 0;
  /** The second that has not ended. It is not returned. */
  let current = 0;

  async function readSlots(from: number, to: number): Promise<(string | null)[]> {
    const seconds = to - from + 1;
    if (seconds >= KEPT_SECONDS) return withinStoreTimeout(redis.hvals(historyKey), STORE_TIMEOUT_MS);
    const slots = Array.from({ length: seconds }, (_, offset) => String((from + offset) % KEPT_SECONDS));
    return withinStoreTimeout(redis.hmget(historyKey, ...slots), STORE_TIMEOUT_MS);
  }

  return {
    async refreshHistory({ now, policies }) {
      current = Math.floor(now / SECOND_MS);
      // The last second of the previous refresh may have been incomplete, so it is read again.
      for (const json of await readSlots(Math.min(readUntil, current), current)) {
        if (json === null) continue;
        const { at, gains } = stored.parse(JSON.parse(json));
        if (at > current - KEPT_SECONDS) kept.set(at, toSecond(at, gains, policies));
      }
      readUntil = current;
      for (const at of kept.keys()) if (at <= current - KEPT_SECONDS) kept.delete(at);
    },

    points(from = 0) {
      return [...kept.values()]
        .map(({ point }) => point)
        .filter(({ at }) => at >= from && at < current * SECOND_MS)
        .sort((one, other) => one.at - other.at);
    },

    latency(from) {
      const counts = new Map<number, number>();
      for (const [at, { latency }] of kept) {
        if (at * SECOND_MS < from) continue;
        for (const [bucket, count] of latency) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
      }
      return latencyOf(counts);
    },
  };
}

function toSecond(at: number, gains: z.infer<typeof stored>['gains'], policies: PolicyRegistry): KeptSecond {
  const counts = new Map(Object.entries(gains));
  const latency = new Map<number, number>();
  for (const [name, count] of counts) {
    const bucket = bucketOfTotal(name);
    if (bucket !== undefined) latency.set(bucket, count);
  }
  const levels = policies.flatMap(({ name: policy, levels }) =>
    levels.map(({ level }): DecisionTotals => {
      const rates = { policy, level, admitted: 0, refused: 0, banned: 0, degraded: 0 };
      for (const outcome of outcomes) {
        rates[outcome] =
          (counts.get(nameOfTotal({ policy, level }, outcome)) ?? 0) +
          (counts.get(nameOfTotal({ policy, level: EVERY_LEVEL }, outcome)) ?? 0);
      }
      return rates;
    }),
  );
  const decided = levels.filter((rates) => outcomes.some((outcome) => rates[outcome] > 0));
  const times = policies.flatMap(({ name }) => {
    const micros = counts.get(timeTotal(name));
    return micros === undefined ? [] : [[name, micros / 1_000] as const];
  });
  const point = { at: at * SECOND_MS, levels: decided };
  return {
    point: times.length > 0 ? { ...point, decisionMs: Object.fromEntries(times) } : point,
    latency,
  };
}
