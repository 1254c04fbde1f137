import { createLab, type Lab } from '../server/lab/lab';
import type { RedisClient } from '../server/redis/client';
import { connectTestRedis } from './redis';

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
