import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { DecisionOutcome } from '../limiter';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { historyKey, nodesKey, ratesKey } from '../redis/keys';
import type { Catalogue } from './catalogue';
import { latencyBucket } from './latency-buckets';
import { EVERY_LEVEL, latencyTotal, nameOfTotal, type Outcome, outcomes } from './rate-totals';

/** Decisions of one level since the fleet first ran; they never fall. */
export interface Rates {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/** Counts this node's decisions, shares them with the fleet, and learns by that how large the fleet is. */
export interface RateCounter {
  count(outcome: DecisionOutcome): void;
  /** Writes this node's totals where the others read them. To be called at least once a second. */
  share(): Promise<void>;
  /** The whole fleet's totals, a row for each level of these policies. */
  read(catalogue: Catalogue): Promise<Rates[]>;
  /** The nodes that were heard of of late, and what each has told of itself. */
  fleet(): Promise<FleetNode[]>;
  /** How many nodes share their totals, this one among them; what it was when Redis last answered. */
  nodes(): number;
  /** Redis's clock in epoch ms as far as this node knows it, a round trip too early at most; its own before the first answer. */
  storeNow(): number;
}

/** What a node tells the others of itself, besides its totals. */
export interface NodeState {
  /** Open live streams. */
  viewers: number;
  /** Names of what it needs and does not have. */
  failing: string[];
  /** Age of the oldest order that it knows not to be in Postgres, in ms. */
  ledgerLagMs: number;
}

export interface FleetNode extends NodeState {
  node: string;
}

export interface RateCounterOptions {
  redis: RedisClient;
  /** This node's name: no other's, and the same across its restarts. */
  node: string;
  /** What this node tells of itself with each sharing. Default: that all is well. */
  state?: () => NodeState;
  /** How long after its last word a node counts as one of the fleet, in ms. Default: 3 s. */
  heardMs?: number;
  /** After so long a silence, in ms, a node's totals go to those of all nodes that are no more. Default: 1 minute. */
  goneMs?: number;
}

const entry = z.object({ totals: z.record(z.string(), z.number()) });
/** A node of another version may tell of itself in another form. */
const nodeEntry = z.object({
  state: z.object({
    viewers: z.number(),
    failing: z.array(z.string()).or(z.object({})),
    ledgerLagMs: z.number(),
  }),
});
const shareReply = z.tuple([z.int().min(1), z.string(), z.literal([0, 1]), z.int()]);

const NODE = 'node:';

/**
 * Each node writes totals, not increments, so that a lost reply or an emptied Redis costs nothing: the next write puts
 * them right. Each run counts from 0; what an earlier run or a node that is gone has left is kept as one sum.
 */
export function createRateCounter({
  redis,
  node,
  state = () => ({ viewers: 0, failing: [], ledgerLagMs: 0 }),
  heardMs = 3_000,
  goneMs = 60_000,
}: RateCounterOptions): RateCounter {
  const shareRates = defineScript(redis, {
    command: 'floodgateShareRates',
    file: 'limits/share-rates.lua',
    numberOfKeys: 3,
  });
  const own = new Map<string, number>();
  const shown = new Map<string, number>();
  let run = randomUUID();
  let shared = new Map<string, number>();
  let since = '';
  let nodes = 1;
  /** Redis's clock when `performance.now()` was at 0. */
  let storeOrigin = Date.now() - performance.now();

  function add(name: string): void {
    own.set(name, (own.get(name) ?? 0) + 1);
  }

  async function share(): Promise<void> {
    const totals = new Map(own);
    const json = JSON.stringify(Object.fromEntries(totals));
    const reply = await shareRates(
      [ratesKey, nodesKey, historyKey],
      [node, run, since, json, heardMs, goneMs, JSON.stringify(state())],
    );
    const [heard, begun, isForgotten, now] = shareReply.parse(reply);
    storeOrigin = now - performance.now();
    nodes = heard;
    since = begun;
    if (!isForgotten) {
      shared = totals;
      return;
    }
    // This node was silent for so long that its totals are among those of the dead: it goes on as a new one.
    for (const [name, count] of shared) own.set(name, (own.get(name) ?? 0) - count);
    run = randomUUID();
    shared = new Map();
    since = '';
    await share();
  }

  return {
    count({ policy, decision, durationMs }) {
      // What was shed took no decision.
      if (durationMs > 0) add(latencyTotal(latencyBucket(durationMs)));
      if (!decision) return;
      const addTo = (level: string, outcome: Outcome) => add(nameOfTotal({ policy, level }, outcome));
      if (!decision.allowed) {
        return addTo(decision.refusedBy.level, decision.reason === 'banned' ? 'banned' : 'refused');
      }
      if (!decision.degraded) for (const { level } of decision.levels) addTo(level, 'admitted');
      else if (decision.levels.length === 0) addTo(EVERY_LEVEL, 'degraded');
      else for (const { level } of decision.levels) addTo(level, 'degraded');
    },

    share,

    async read(catalogue) {
      const { since: _since, ...entries } = await redis.hgetall(ratesKey);
      const totals = new Map<string, number>();
      for (const json of Object.values(entries)) {
        for (const [name, count] of Object.entries(entry.parse(JSON.parse(json)).totals)) {
          totals.set(name, (totals.get(name) ?? 0) + count);
        }
      }
      const totalOf = (policy: string, level: string, outcome: Outcome) => {
        const name = nameOfTotal({ policy, level }, outcome);
        const ofAll = totals.get(nameOfTotal({ policy, level: EVERY_LEVEL }, outcome)) ?? 0;
        const total = Math.max((totals.get(name) ?? 0) + ofAll, shown.get(name) ?? 0);
        shown.set(name, total);
        return total;
      };
      return catalogue.flatMap(({ name: policy, levels }) =>
        levels.map(({ level }) => {
          const counts = outcomes.map((outcome) => [outcome, totalOf(policy, level, outcome)] as const);
          return { policy, level, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
        }),
      );
    },

    async fleet() {
      const heardSince = Math.floor(storeOrigin + performance.now() - heardMs);
      const names = await redis.zrangebyscore(nodesKey, heardSince, '+inf');
      if (names.length === 0) return [];
      const entries = await redis.hmget(ratesKey, ...names.map((name) => NODE + name));
      return names.flatMap((name, place) => {
        const { data } = nodeEntry.safeParse(JSON.parse(entries[place] ?? 'null'));
        if (!data) return [];
        const { failing, ...told } = data.state;
        // cjson cannot tell an empty list from an empty object.
        return [{ node: name, ...told, failing: Array.isArray(failing) ? failing : [] }];
      });
    },

    nodes: () => nodes,
    storeNow: () => Math.floor(storeOrigin + performance.now()),
  };
}
