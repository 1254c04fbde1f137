import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../test/services/redis';
import { connectRedis } from './client';

async function startWith(setting: string, value: string): Promise<string> {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const admin = await connectRedis([redis.url], () => undefined);
  onTestFinished(() => admin.disconnect());
  await admin.config('SET', setting, value);
  return redis.url;
}

// Protected mode refuses in the same way: before the first command.
test('a Redis that refuses the connection before the first command is reported with its words', async () => {
  const url = await startWith('maxclients', '1');
  await expect(connectRedis([url], () => undefined)).rejects.toThrow(
    `Redis at ${url} refuses the connection: ERR max number of clients reached`,
  );
});

test('a Redis that wants a password is reported with its words', async () => {
  const url = await startWith('requirepass', 'secret');
  await expect(connectRedis([url], () => undefined)).rejects.toThrow(
    `Redis at ${url} refuses the connection: NOAUTH`,
  );
});
