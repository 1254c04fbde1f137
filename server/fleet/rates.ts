import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { DecisionOutcome } from '../limiter';
import type { PolicyRegistry } from '../limits/policy-registry';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { historyKey, nodesKey, ratesKey } from '../redis/keys';
import { EVERY_LEVEL, latencyTotal, nameOfTotal, type Outcome, outcomes } from './totals';

/** Decision totals of one level since the first start of the fleet. They never decrease. */
export interface Rates {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/** Counts the decisions of this node and sends them to the fleet with a heartbeat, whose reply has the size of the fleet. */
export interface RateCounter {
  count(outcome: DecisionOutcome): void;
  /** Writes the totals and the status of this node to Redis. Call it at least once a second. */
  sendHeartbeat(): Promise<void>;
  /** Reads the totals of the fleet: one row for each level of these policies. */
  readRates(policies: PolicyRegistry): Promise<Rates[]>;
  /** Reads the last heartbeats of the live nodes. */
  readFleet(): Promise<Heartbeat[]>;
  /** Returns the number of live nodes, including this one, at the last heartbeat. */
  nodes(): number;
  /** Returns an estimate of Redis's clock in epoch ms, at most one round trip behind; the node's own clock before the first reply. */
  storeNow(): number;
}

/** The status that a node sends with its heartbeat. */
export interface NodeStatus {
  /** Open live streams. */
  viewers: number;
  /** Names of its failing dependencies. */
  failing: string[];
  /** Age of the oldest order known to be missing in Postgres, in ms. */
  ledgerLagMs: number;
  /** Number of sales with a mismatch that the auditor could not repair. */
  mismatches: number;
}

export interface Heartbeat extends NodeStatus {
  node: string;
}

export interface RateCounterOptions {
  redis: RedisClient;
  /** The name of this node: unique, and the same across restarts. */
  node: string;
  /** Returns the status for each heartbeat. Default: a healthy one. */
  status?: () => NodeStatus;
  /** A node is live for this long after its last heartbeat, in ms. Default: 3 s. */
  aliveMs?: number;
  /** A node without a heartbeat for this long is dead, and its totals move to the sum of all dead nodes, in ms. Default: 1 minute. */
  deadMs?: number;
}

const entry = z.object({ totals: z.record(z.string(), z.number()) });
/** A node of another version may send another format. */
const nodeEntry = z.object({
  state: z.object({
    viewers: z.number(),
    failing: z.array(z.string()).or(z.object({})),
    ledgerLagMs: z.number(),
    mismatches: z.number(),
  }),
});
const heartbeatReply = z.tuple([z.int().min(1), z.string(), z.literal([0, 1]), z.int()]);

const NODE = 'node:';

/**
 * Creates the rate counter of this node. A node writes totals, not increments, so that the next heartbeat repairs a lost
 * reply or an emptied Redis. Each run of a process counts from 0. One sum holds the totals of earlier runs and dead nodes.
 */
export function createRateCounter({
  redis,
  node,
  status = () => ({ viewers: 0, failing: [], ledgerLagMs: 0, mismatches: 0 }),
  aliveMs = 3_000,
  deadMs = 60_000,
}: RateCounterOptions): RateCounter {
  const runHeartbeat = defineScript(redis, {
    command: 'floodgateHeartbeat',
    file: 'fleet/heartbeat.lua',
    numberOfKeys: 3,
  });
  const totals = new Map<string, number>();
  const shown = new Map<string, number>();
  let run = randomUUID();
  let sent = new Map<string, number>();
  let since = '';
  let nodes = 1;
  /** Redis's clock when `performance.now()` was at 0. */
  let storeOrigin = Date.now() - performance.now();

  function add(name: string): void {
    totals.set(name, (totals.get(name) ?? 0) + 1);
  }

  async function sendHeartbeat(): Promise<void> {
    const sending = new Map(totals);
    const json = JSON.stringify(Object.fromEntries(sending));
    const reply = await runHeartbeat(
      [ratesKey, nodesKey, historyKey],
      [node, run, since, json, aliveMs, deadMs, JSON.stringify(status())],
    );
    const [live, begun, isDead, now] = heartbeatReply.parse(reply);
    storeOrigin = now - performance.now();
    nodes = live;
    since = begun;
    if (!isDead) {
      sent = sending;
      return;
    }
    // The sent totals of this node are already in the sum of the dead nodes, so it starts a new run without them.
    for (const [name, count] of sent) totals.set(name, (totals.get(name) ?? 0) - count);
    run = randomUUID();
    sent = new Map();
    since = '';
    await sendHeartbeat();
  }

  return {
    count({ policy, decision, durationMs }) {
      // A shed call has no decision time.
      if (durationMs > 0) add(latencyTotal(durationMs));
      if (!decision) return;
      const addTo = (level: string, outcome: Outcome) => add(nameOfTotal({ policy, level }, outcome));
      if (!decision.allowed) {
        return addTo(decision.refusedBy.level, decision.reason === 'banned' ? 'banned' : 'refused');
      }
      if (!decision.degraded) for (const { level } of decision.levels) addTo(level, 'admitted');
      else if (decision.levels.length === 0) addTo(EVERY_LEVEL, 'degraded');
      else for (const { level } of decision.levels) addTo(level, 'degraded');
    },

    sendHeartbeat,

    async readRates(policies) {
      const { since: _since, ...entries } = await redis.hgetall(ratesKey);
      const fleetTotals = new Map<string, number>();
      for (const json of Object.values(entries)) {
        for (const [name, count] of Object.entries(entry.parse(JSON.parse(json)).totals)) {
          fleetTotals.set(name, (fleetTotals.get(name) ?? 0) + count);
        }
      }
      const totalOf = (policy: string, level: string, outcome: Outcome) => {
        const name = nameOfTotal({ policy, level }, outcome);
        const ofAll = fleetTotals.get(nameOfTotal({ policy, level: EVERY_LEVEL }, outcome)) ?? 0;
        const total = Math.max((fleetTotals.get(name) ?? 0) + ofAll, shown.get(name) ?? 0);
        shown.set(name, total);
        return total;
      };
      return policies.flatMap(({ name: policy, levels }) =>
        levels.map(({ level }) => {
          const counts = outcomes.map((outcome) => [outcome, totalOf(policy, level, outcome)] as const);
          return { policy, level, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
        }),
      );
    },

    async readFleet() {
      const aliveSince = Math.floor(storeOrigin + performance.now() - aliveMs);
      const names = await redis.zrangebyscore(nodesKey, aliveSince, '+inf');
      if (names.length === 0) return [];
      const entries = await redis.hmget(ratesKey, ...names.map((name) => NODE + name));
      return names.flatMap((name, index) => {
        const { data } = nodeEntry.safeParse(JSON.parse(entries[index] ?? 'null'));
        if (!data) return [];
        const { failing, ...status } = data.state;
        // cjson encodes an empty list as an empty object.
        return [{ node: name, ...status, failing: Array.isArray(failing) ? failing : [] }];
      });
    },

    nodes: () => nodes,
    storeNow: () => Math.floor(storeOrigin + performance.now()),
  };
}
