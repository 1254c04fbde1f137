import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { LeasedUnits } from '../limiter/index';
import { defineScript } from '../limiter/stores';
import type { RedisClient } from '../redis/client';
import { heartbeatsKey, historyKey, nodesKey } from '../redis/keys';
import type { DecisionCounter } from './decision-counter';

/** The heartbeat of this node. Its reply has the number of live nodes and Redis's clock. */
export interface Heartbeat {
  /** The name of this node. */
  node: string;
  /** Writes the decision totals and the status of this node to Redis, a healthy one by default. Call it at least once a second. */
  sendHeartbeat(status?: NodeStatus): Promise<void>;
  /** Reads the last heartbeats of the live nodes. */
  readFleet(): Promise<NodeHeartbeat[]>;
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
  /** Those of them whose check had no result in time. Default: none. */
  slow?: readonly string[];
  /** Age of the oldest order known to be missing in Postgres, in ms. */
  ledgerLagMs: number;
  /** Number of sales with a mismatch that the auditor could not repair. */
  mismatches: number;
  /** Units of leased levels that it holds and has not spent. Default: none. */
  leased?: readonly LeasedUnits[];
}

export interface NodeHeartbeat extends Required<NodeStatus> {
  node: string;
}

export interface HeartbeatOptions {
  redis: RedisClient;
  /** The name of this node: unique, and the same across restarts. */
  node: string;
  /** The decisions of this node, whose totals each heartbeat writes. */
  decisionCounter: Pick<DecisionCounter, 'ownTotals' | 'subtract'>;
  /** A node is live for this long after its last heartbeat, in ms. Default: 3 s. */
  aliveMs?: number;
  /** A node without a heartbeat for this long is dead, and its totals move to the sum of all dead nodes, in ms. Default: 1 minute. */
  deadMs?: number;
}

/** Returns the schema of a list. cjson encodes an empty one as an empty object. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).or(z.object({}).transform((): z.output<Item>[] => []));

/** A node of another version may send another format. */
const nodeEntry = z.object({
  state: z.object({
    viewers: z.number(),
    failing: listOf(z.string()),
    slow: listOf(z.string()).default([]),
    ledgerLagMs: z.number(),
    mismatches: z.number(),
    leased: listOf(z.object({ policy: z.string(), level: z.string(), idle: z.number() })).default([]),
  }),
});
const heartbeatReply = z.tuple([z.int().min(1), z.string(), z.literal([0, 1]), z.int()]);

const NODE = 'node:';
const HEALTHY: NodeStatus = { viewers: 0, failing: [], ledgerLagMs: 0, mismatches: 0 };

/**
 * Creates the heartbeat of this node. It writes totals, not increments, so that the next heartbeat repairs a lost reply or
 * an emptied Redis. One sum holds the totals of earlier runs and dead nodes.
 */
export function createHeartbeat({
  redis,
  node,
  decisionCounter,
  aliveMs = 3_000,
  deadMs = 60_000,
}: HeartbeatOptions): Heartbeat {
  const runHeartbeat = defineScript(redis, {
    command: 'floodgateHeartbeat',
    file: 'fleet/heartbeat.lua',
    numberOfKeys: 3,
  });
  let run = randomUUID();
  let sent = new Map<string, number>();
  let since = '';
  let nodes = 1;
  /** Redis's clock when `performance.now()` was at 0. */
  let storeOrigin = Date.now() - performance.now();

  async function sendHeartbeat(status: NodeStatus = HEALTHY): Promise<void> {
    const sending = decisionCounter.ownTotals();
    const json = JSON.stringify(Object.fromEntries(sending));
    const reply = await runHeartbeat(
      [heartbeatsKey, nodesKey, historyKey],
      [node, run, since, json, aliveMs, deadMs, JSON.stringify(status)],
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
    decisionCounter.subtract(sent);
    run = randomUUID();
    sent = new Map();
    since = '';
    await sendHeartbeat(status);
  }

  return {
    node,
    sendHeartbeat,

    async readFleet() {
      const aliveSince = Math.floor(storeOrigin + performance.now() - aliveMs);
      const names = await redis.zrangebyscore(nodesKey, aliveSince, '+inf');
      if (names.length === 0) return [];
      const entries = await redis.hmget(heartbeatsKey, ...names.map((name) => NODE + name));
      return names.flatMap((name, index) => {
        const { data } = nodeEntry.safeParse(JSON.parse(entries[index] ?? 'null'));
        return data ? [{ node: name, ...data.state }] : [];
      });
    },

    nodes: () => nodes,
    storeNow: () => Math.floor(storeOrigin + performance.now()),
  };
}
