import { startBuiltServer } from '../test/services/built-server';
import { startPglite } from '../test/services/pglite';
import { startRedis } from '../test/services/redis';

/** Starts fresh databases and the built server in demo mode; its address reaches the tests as E2E_BASE_URL. */
export default async function openFloodgate(): Promise<() => Promise<void>> {
  const [redis, database] = await Promise.all([startRedis(), startPglite()]);
  const server = await startBuiltServer({
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    FLOODGATE_PGLITE: '1',
    FLOODGATE_DEMO: '1',
  });
  process.env.E2E_BASE_URL = server.url;
  return async () => {
    await server.stop();
    await Promise.all([redis.stop(), database.stop()]);
  };
}
