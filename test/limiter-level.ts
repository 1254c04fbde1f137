import { expect } from 'vitest';
import type { Algorithm } from '../server/limiter/policy/policy';
import { ioredisStore } from '../server/limiter/stores/ioredis-store';
import { defineScript } from '../server/limiter/stores/lua-scripts';
import type { DecideReply, Store } from '../server/limiter/stores/store';
import type { RedisClient } from '../server/redis/client';
import type { LevelNumbers, Verdict } from './limiter-oracle';
import { freshPrefix } from './redis';
import { decideOne, testArgs, testLevel } from './store-commands';

export interface Call {
  clock: number;
  cost: number;
  numbers: LevelNumbers;
}

/** A call whose clock is by default that of the store. */
type SentCall = Omit<Call, 'clock'> & Partial<Call>;

export const TODAY = 1_795_226_301_987;

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
  /** Sends calls together and returns the replies. */
  raw(calls: SentCall[], hits?: number): Promise<DecideReply[]>;
  /** Sends calls together and returns their decisions. */
  send(...calls: SentCall[]): Promise<Verdict[]>;
}

/** Creates a level whose calls are decided by a store, each in a batch of its own. */
export function createTestLevel(
  store: Pick<Store, 'decide'>,
  algorithm: Algorithm,
  key = `${freshPrefix()}${algorithm}`,
): TestLevel {
  const raw: TestLevel['raw'] = (calls, hits = 0) =>
    Promise.all(
      calls.map(({ clock, cost, numbers }) =>
        decideOne(store, key, {
          policyArgs: testArgs([testLevel(algorithm, numbers)], { cost, hits }),
          clock,
        }),
      ),
    );
  return { key, raw, send: async (...calls) => (await raw(calls)).map(toVerdict) };
}

/** Returns the verdict of a reply on one enforced level. */
export function toVerdict({ now, outcome, levels: [level] }: DecideReply): Verdict {
  expect(['admitted', 'refused']).toContain(outcome);
  if (!level) throw new TypeError('the reply has no level');
  const { used, retryAfterMs, resetMs, delayMs } = level;
  return { now, allowed: outcome === 'admitted', used, retryAfterMs, resetMs, delayMs };
}
