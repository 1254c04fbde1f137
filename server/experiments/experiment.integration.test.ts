import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import { type RedisProxy, startRedisProxy } from '../../test/services/redis-proxy';
import type { TestService } from '../../test/services/test-service';
import { createShowMistake } from '../lab/cards/cards';
import { createRace } from '../lab/race';
import { StoreUnavailableError } from '../limiter/index';
import { type RedisClient, RedisUnreachableError } from '../redis/client';
import { createRunExperiment } from './experiment';
import type { ExperimentConnections } from './experiment-connections';
import { createExperimentQueue } from './experiment-queue';

let service: TestService;
let redis: RedisClient;
let proxy: RedisProxy;
let client: RedisClient;

beforeEach(async () => {
  service = await startEmptyRedis();
  redis = await connectTestRedis(service.url);
  proxy = await startRedisProxy(service.url);
  client = await connectTestRedis(proxy.url);
});
afterEach(async () => {
  client.disconnect();
  redis.disconnect();
  proxy.stop();
  await service.stop();
});

/** Runs experiments on one connection and counts cleanups. */
function runnerOver(take: ExperimentConnections['acquire']) {
  const seen = { releases: 0, cleanupErrors: 0 };
  const connections: ExperimentConnections = {
    acquire: take,
    release() {
      seen.releases += 1;
    },
    close: () => undefined,
  };
  const onCleanupError = () => {
    seen.cleanupErrors += 1;
  };
  return {
    runExperiment: createRunExperiment({
      connections,
      queue: createExperimentQueue(),
      onCleanupError,
    }),
    seen,
  };
}

/** Returns the remaining lifetime of each lab key in ms. -1: no expiry. */
async function readLifetimes(): Promise<number[]> {
  return Promise.all((await redis.keys('lab:*')).map((key) => redis.pttl(key)));
}

test('connections are released even if not all of them could be opened', async () => {
  const { runExperiment, seen } = runnerOver(() =>
    Promise.reject(new RedisUnreachableError(['redis://nowhere'], new Error('no server there'))),
  );
  await expect(runExperiment({ signal: undefined }, async () => 'done')).rejects.toThrow(
    StoreUnavailableError,
  );
  expect(seen).toEqual({ releases: 1, cleanupErrors: 0 });
});

test('keys of a counter per window expire if the connection breaks', async () => {
  const { runExperiment, seen } = runnerOver(async () => [client]);
  proxy.loseReplies();
  await expect(
    createShowMistake({ runExperiment })({ mistake: 'double-burst', language: 'en' }),
  ).rejects.toThrow(StoreUnavailableError);
  expect(seen).toEqual({ releases: 1, cleanupErrors: 1 });
  const left = await readLifetimes();
  expect(left.length).toBeGreaterThan(0);
  expect(Math.min(...left)).toBeGreaterThan(0);
});

test.each(['four-commands', 'timestamp-member'] as const)(
  'a race by %s fails with StoreUnavailableError if the final read gets no reply',
  async (variant) => {
    const { runExperiment } = runnerOver(async () => [client]);
    client.disconnect();
    // Without calls, the read of the log is the only command.
    const race = createRace({ runExperiment })({ variant, limit: 1, windowMs: 1_000, concurrency: 0 });
    await expect(race).rejects.toThrow(StoreUnavailableError);
  },
);
