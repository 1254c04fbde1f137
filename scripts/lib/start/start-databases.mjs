import path from 'node:path';
import { dataDir } from '../repo-root.mjs';
import { startPgliteService } from '../services/start-pglite.mjs';
import { startAnyRedis } from '../services/start-redis.mjs';
import { chooseDemoFlag } from './choose-demo-flag.mjs';
import { keepServiceRunning } from './keep-service.mjs';
import { readOrCreateSessionSecret } from './session-secret.mjs';

/**
 * Finds or starts Redis and Postgres concurrently, and returns the settings of the server.
 *
 * @param {import('../steps.mjs').Steps} steps
 * @param {Record<string, string | undefined>} env  The environment of this process. An empty value counts as unset.
 * @returns {Promise<Record<string, string | undefined>>} The environment of the server.
 */
export async function startDatabases(steps, env) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const [redis, postgres] = await Promise.all([
    given.REDIS_URL ? undefined : start('redis', (port) => startAnyRedis({ dir: `${dataDir}/redis`, port })),
    given.DATABASE_URL
      ? undefined
      : start('postgres', (port) => startPgliteService({ dir: path.join(dataDir, 'pglite'), port })),
  ]);
  return {
    REDIS_URL: redis?.url ?? given.REDIS_URL,
    DATABASE_URL: postgres?.url ?? given.DATABASE_URL,
    FLOODGATE_PGLITE: postgres ? '1' : undefined,
    FLOODGATE_DEMO: chooseDemoFlag(given, { ownDatabases: redis !== undefined && postgres !== undefined }),
    SESSION_SECRETS: given.SESSION_SECRETS || (redis || postgres ? readOrCreateSessionSecret() : undefined),
  };

  /**
   * @param {string} name
   * @param {(port?: number) => Promise<import('../services/spawn-service.mjs').Service>} startService
   */
  function start(name, startService) {
    return steps.run(name, async (note) => {
      const service = await keepServiceRunning(name, startService);
      note(service.about);
      return service;
    });
  }
}
