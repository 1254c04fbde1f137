import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { emptiedRedis } from '../../test/services/emptied-redis';
import { type LossyProxy, startLossyProxy } from '../../test/services/lossy-proxy';
import type { TestService } from '../../test/services/test-service';
import { StoreUnavailableError } from '../limiter';
import { type RedisClient, RedisUnreachableError } from '../redis/client';
import { createConduct } from './experiment';
import type { LabConnections } from './lab-connections';
import { createShowMistake } from './mistakes/show-mistake';
import { createRace } from './race';
import { createTurns } from './turns';

let service: TestService;
let redis: RedisClient;
let proxy: LossyProxy;
let client: RedisClient;

beforeEach(async () => {
  service = await emptiedRedis();
  redis = await connectTestRedis(service.url);
  proxy = await startLossyProxy(service.url);
  client = await connectTestRedis(proxy.url);
});
afterEach(async () => {
  client.disconnect();
  redis.disconnect();
  proxy.stop();
  await service.stop();
});

/** Experiments over that one connection, and what came of them. */
function conductOver(take: LabConnections['take']) {
  const seen = { rests: 0, left: 0 };
  const connections: LabConnections = {
    take,
    rest() {
      seen.rests += 1;
    },
    close: () => undefined,
  };
  const onLeft = () => {
    seen.left += 1;
  };
  return { conduct: createConduct({ connections, turns: createTurns(), onLeft }), seen };
}

/** How long each key of the lab has to live, in ms; -1 for ever. */
async function lives(): Promise<number[]> {
  return Promise.all((await redis.keys('lab:*')).map((key) => redis.pttl(key)));
}

test('connections rest also where not all of them could be opened', async () => {
  const { conduct, seen } = conductOver(() =>
    Promise.reject(new RedisUnreachableError(['redis://nowhere'], new Error('nobody there'))),
  );
  await expect(conduct({ signal: undefined }, async () => 'done')).rejects.toThrow(StoreUnavailableError);
  expect(seen).toEqual({ rests: 1, left: 0 });
});

test('what a counter per window leaves behind when its connection breaks expires by itself', async () => {
  const { conduct, seen } = conductOver(async () => [client]);
  proxy.loseReplies();
  await expect(createShowMistake({ conduct })({ mistake: 'double-burst' })).rejects.toThrow(
    StoreUnavailableError,
  );
  expect(seen).toEqual({ rests: 1, left: 1 });
  const left = await lives();
  expect(left.length).toBeGreaterThan(0);
  expect(Math.min(...left)).toBeGreaterThan(0);
});

test.each(['four-commands', 'timestamp-member'] as const)(
  'a race by %s whose last look is not answered fails as any call without the store',
  async (variant) => {
    const { conduct } = conductOver(async () => [client]);
    client.disconnect();
    // Nobody runs, so that the look at the log is all that is asked.
    const race = createRace({ conduct })({ variant, limit: 1, windowMs: 1_000, concurrency: 0 });
    await expect(race).rejects.toThrow(StoreUnavailableError);
  },
);
