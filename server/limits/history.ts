import { z } from 'zod';
import { withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { historyKey } from '../redis/keys';
import type { Catalogue } from './catalogue';
import { type Latency, latencyOf } from './latency-buckets';
import { bucketOfTotal, EVERY_LEVEL, nameOfTotal, outcomes } from './rate-totals';
import type { Rates } from './rates';

/** What was decided within one second, on all nodes. */
export interface HistoryPoint {
  /** Epoch ms by Redis's clock at which the second began. Nodes tell twice a second: some of it may be of the one before. */
  at: number;
  /** Levels on which anything was decided. */
  levels: Rates[];
}

/** The last five minutes of the fleet. */
export interface History {
  /** Reads what has come since the last reading, and all of it where that was long ago. Throws `StoreUnavailableError`. */
  read(options: { now: number; catalogue: Catalogue }): Promise<void>;
  /** The seconds that are over, oldest first, from an instant on. */
  points(from?: number): HistoryPoint[];
  /** How long decisions took from an instant on; null where there were none. */
  latency(from: number): Latency | null;
}

const SECOND_MS = 1_000;
/** As long as lua/limits/share-rates.lua keeps. */
const KEPT_SECONDS = 300;
const WAIT_MS = 250;

const stored = z.object({ at: z.number(), gains: z.record(z.string(), z.number()).or(z.tuple([])) });

interface KeptSecond {
  point: HistoryPoint;
  latency: ReadonlyMap<number, number>;
}

/** Every node reads the same seconds from Redis, which have outlived the node that wrote them. */
export function createHistory({ redis }: { redis: RedisClient }): History {
  const kept = new Map<number, KeptSecond>();
  let readUntil = 0;
  /** Not over yet, so not to be shown. */
  let current = 0;

  async function readSlots(from: number, to: number): Promise<(string | null)[]> {
    const seconds = to - from + 1;
    if (seconds >= KEPT_SECONDS) return withinStoreTimeout(redis.hvals(historyKey), WAIT_MS);
    const slots = Array.from({ length: seconds }, (_, place) => String((from + place) % KEPT_SECONDS));
    return withinStoreTimeout(redis.hmget(historyKey, ...slots), WAIT_MS);
  }

  return {
    async read({ now, catalogue }) {
      current = Math.floor(now / SECOND_MS);
      // A second is told until it is over, so the last one that was read is read once more.
      for (const json of await readSlots(Math.min(readUntil, current), current)) {
        if (json === null) continue;
        const { at, gains } = stored.parse(JSON.parse(json));
        if (at > current - KEPT_SECONDS) kept.set(at, toSecond(at, gains, catalogue));
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

function toSecond(at: number, gains: z.infer<typeof stored>['gains'], catalogue: Catalogue): KeptSecond {
  const counts = new Map(Object.entries(gains));
  const latency = new Map<number, number>();
  for (const [name, count] of counts) {
    const bucket = bucketOfTotal(name);
    if (bucket !== undefined) latency.set(bucket, count);
  }
  const levels = catalogue.flatMap(({ name: policy, levels }) =>
    levels.map(({ level }): Rates => {
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
  return { point: { at: at * SECOND_MS, levels: decided }, latency };
}
