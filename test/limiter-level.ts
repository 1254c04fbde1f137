import { expect } from 'vitest';
import type { Algorithm } from '../server/limiter/policy/policy';
import { ioredisStore } from '../server/limiter/stores/ioredis-store';
import { defineScript, type RunScript } from '../server/limiter/stores/lua-scripts';
import type { Store } from '../server/limiter/stores/store';
import type { RedisClient } from '../server/redis/client';
import type { LevelNumbers, Verdict } from './limiter-oracle';
import { freshPrefix } from './redis';

export interface Call {
  clock: number;
  cost: number;
  numbers: LevelNumbers;
}

/** A call whose clock is by default that of the store. */
type SentCall = Omit<Call, 'clock'> & Partial<Call>;

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
  raw(calls: SentCall[], hits?: number): Promise<unknown[]>;
  /** Sends calls together and returns their decisions. */
  send(...calls: SentCall[]): Promise<Verdict[]>;
}

/** Creates a level whose calls are decided by `run`. */
export function createTestLevel(
  run: RunScript,
  algorithm: Algorithm,
  key = `${freshPrefix()}${algorithm}`,
): TestLevel {
  const policyArgs = ({ cost, numbers: { limit, windowMs, subWindows } }: SentCall, hits: number) =>
    `${cost} ${hits} 0 ${algorithm} ${limit} ${windowMs} ${subWindows ?? 10} enforce 0 0 0`;
  const raw: TestLevel['raw'] = (calls, hits = 0) =>
    Promise.all(
      calls.map((call) =>
        run([key], [policyArgs(call, hits), call.clock === undefined ? 1 : `1 ${call.clock}`]),
      ),
    );
  return { key, raw, send: async (...calls) => (await raw(calls)).map(toVerdict) };
}

/** Decodes the reply of decide.lua on one enforced level without hits, as the grammar in codec.ts defines it. */
export function toVerdict(reply: unknown): Verdict {
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
