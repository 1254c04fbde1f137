import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisProxy } from '../../test/services/redis-proxy';
import type { KeptProcess, RunningProcess } from '../keep-running';
import type { LeasedNode } from './leased-nodes';

/** The window of every case. Its lease is the shortest one. */
export const WINDOW = { limit: 3_000, windowMs: 3_000, forMs: 500 };

/** The running nodes of a case and their store. */
export interface LeaseScene {
  nodes: LeasedNode[];
  /** Starts a further node. */
  startNode(): Promise<LeasedNode>;
  redis: KeptProcess<RunningProcess>;
  proxy: RedisProxy;
  /** Makes the replica the primary of all clients. `isPlanned`: after it has received all writes. */
  failOver(options: { isPlanned: boolean }): Promise<void>;
  /** Changes the limit on every node. */
  changeLimit(limit: number): Promise<void>;
}

/** A fault during which nodes spend units of a leased level. */
export interface LeaseCase {
  name: string;
  description: string;
  /** The time of each way to Redis, in ms. Default: that of this machine. */
  delayMs?: number;
  /** The shortest time for which a node keeps its rate of calls, in ms. Default: 200. */
  steadyMs?: number;
  /** True if a replica follows the Redis. */
  hasReplica?: boolean;
  /** False if Redis may lose data, which the bound does not cover: the window is reported only. */
  isCovered?: boolean;
  inject(scene: LeaseScene): Promise<void>;
}

const TIMES = 3;

export const leaseCases: readonly LeaseCase[] = [
  {
    name: 'node-killed',
    description: 'kill -9 a node that holds units, three times',
    async inject({ nodes, startNode }) {
      for (let kill = 0; kill < TIMES; kill += 1) {
        await nodes.shift()?.kill();
        nodes.push(await startNode());
        await sleep(1_000);
      }
    },
  },
  {
    name: 'node-frozen',
    description: 'freeze a node for 2 T (SIGSTOP), three times',
    async inject({ nodes: [node] }) {
      for (let freeze = 0; freeze < TIMES; freeze += 1) {
        node?.child.kill('SIGSTOP');
        await sleep(2 * WINDOW.forMs);
        node?.child.kill('SIGCONT');
        await sleep(1_500);
      }
    },
  },
  {
    name: 'redis-killed',
    description: 'kill -9 Redis, which restarts from its append-only file after a second',
    async inject({ redis }) {
      await redis.kill();
      await redis.waitUntilRunning();
      await sleep(2 * WINDOW.windowMs);
    },
  },
  {
    name: 'redis-failed-over',
    description: 'FAILOVER to a replica, which has received all writes',
    hasReplica: true,
    async inject({ failOver }) {
      await failOver({ isPlanned: true });
      await sleep(2 * WINDOW.windowMs);
    },
  },
  {
    name: 'redis-primary-lost',
    description: 'kill -9 Redis and promote its replica, which may lack its last writes',
    hasReplica: true,
    isCovered: false,
    async inject({ failOver }) {
      await failOver({ isPlanned: false });
      await sleep(2 * WINDOW.windowMs);
    },
  },
  {
    name: 'replies-lost',
    description: 'for 1 s commands reach Redis, but its replies are lost, three times',
    async inject({ proxy }) {
      for (let loss = 0; loss < TIMES; loss += 1) {
        proxy.loseReplies();
        await sleep(1_000);
        proxy.restoreReplies();
        await sleep(WINDOW.windowMs);
      }
    },
  },
  {
    name: 'redis-far-away',
    description: 'Redis answers after 145 ms, by a TCP proxy',
    delayMs: 72.5,
    // Each time after a pause, calls wait for two replies of Redis.
    steadyMs: 1_500,
    inject: () => sleep(5 * WINDOW.windowMs),
  },
  {
    name: 'limit-lowered',
    description: 'lower the limit to a third in mid-lease and raise it again, three times',
    async inject({ changeLimit }) {
      for (let change = 0; change < TIMES; change += 1) {
        await changeLimit(WINDOW.limit / 3);
        await sleep(WINDOW.windowMs + 2 * WINDOW.forMs);
        await changeLimit(WINDOW.limit);
        await sleep(WINDOW.windowMs / 2);
      }
    },
  },
];
