import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { redisClients } from '../../../test/limiter-clients';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { ioredisStore, nodeRedisStore, type Store } from '../stores/index';

const secret = 'a secret of at least 32 characters';

let redis: Awaited<ReturnType<typeof startRedis>>;
let admin: RedisClient;
beforeAll(async () => {
  redis = await startRedis();
  admin = await connectTestRedis(redis.url);
});
afterAll(async () => {
  admin?.disconnect();
  await redis?.stop();
});

/** Creates a user with all permissions except by these rules. Returns the URL with its credentials. */
async function urlOfUser(...rules: string[]): Promise<string> {
  const user = randomUUID();
  await admin.acl('SETUSER', user, 'on', '>pass', '~*', '+@all', ...rules);
  return Object.assign(new URL(redis.url), { username: user, password: 'pass' }).href;
}

describe.each(redisClients)('$client', ({ client, connect }) => {
  async function createTestLimiter(url: string) {
    const { store, close } = await connect(url);
    onTestFinished(close);
    const prefix = freshPrefix();
    return { prefix, limiter: createLimiter({ store, secret, prefix }) };
  }

  test('ready() makes one decision, on a key of its own that expires within a second', async () => {
    const { limiter, prefix } = await createTestLimiter(redis.url);
    const policy = definePolicy({ name: 'one', levels: [{ level: 'global', limit: 1, windowMs: 60_000 }] });
    await limiter.ready();
    const keyPrefix = client.includes('keyPrefix') ? `app:${prefix}` : prefix;
    const [key = '', ...others] = await admin.keys(`${keyPrefix}*`);
    expect(key).toContain('store-test');
    expect(others).toEqual([]);
    expect(await admin.pttl(key)).toBeLessThanOrEqual(1_000);
    expect(await limiter.check(policy, {})).toMatchObject({ allowed: true });
  });

  test.each([
    [
      ['-fcall', '-function', '-evalsha', '-eval'],
      /^The store cannot decide: NOPERM.*allow FCALL and FUNCTION/,
    ],
    [['-set'], /^The store cannot decide: ERR.*Allow the user the commands of the scripts/],
    [['resetkeys', '~other*'], /^The store cannot decide: NOPERM.*ACL SETUSER NAME ~test:.*\*\.$/],
  ])('without the rights %j, ready() names them', async (rules, message) => {
    const { limiter } = await createTestLimiter(await urlOfUser(...rules));
    await expect(limiter.ready()).rejects.toThrow(message);
  });

  test('on a replica, ready() names the primary', async () => {
    const replica = await startRedis();
    onTestFinished(() => replica.stop());
    const { limiter } = await createTestLimiter(replica.url);
    const client = await connectTestRedis(replica.url);
    onTestFinished(() => client.disconnect());
    await client.replicaof('127.0.0.1', redis.port);
    await expect(limiter.ready()).rejects.toThrow(
      /^The store cannot decide: READONLY .*Connect to its primary/,
    );
  });
});

const clientsThatConnect: { client: string; open(url: string): Store }[] = [
  {
    client: 'ioredis',
    open(url) {
      const client = new Redis(url, { enableOfflineQueue: false, retryStrategy: () => 50 });
      onTestFinished(() => client.disconnect());
      client.on('error', () => undefined);
      return ioredisStore(client);
    },
  },
  {
    client: 'node-redis',
    open(url) {
      const client = createClient({ url, disableOfflineQueue: true });
      onTestFinished(() => client.destroy());
      client.on('error', () => undefined);
      client.connect().catch(() => undefined);
      return nodeRedisStore(client);
    },
  },
];

test.each(clientsThatConnect)(
  '$client: ready() repeats the words of a Redis that refuses connections',
  async ({ open }) => {
    const full = await startRedis();
    onTestFinished(() => full.stop());
    const first = await connectTestRedis(full.url);
    onTestFinished(() => first.disconnect());
    await first.config('SET', 'maxclients', '1');
    const limiter = createLimiter({ store: open(full.url), secret, onWarning: () => undefined });
    await expect
      .poll(() => limiter.ready().catch(String), { timeout: 5_000 })
      .toContain('The store cannot decide: ERR max number of clients reached');
  },
);
