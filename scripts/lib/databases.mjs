import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from './files.mjs';
import { keepServiceRunning } from './services/spawn-service.mjs';
import { startAnyRedis, startPgliteService } from './services/start-services.mjs';
import { dataDir } from './steps.mjs';

/**
 * Finds or starts Redis and Postgres concurrently, and returns the settings of the server.
 *
 * @param {import('./steps.mjs').Steps} steps
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
   * @param {(port?: number) => Promise<import('./services/spawn-service.mjs').Service>} startService
   */
  function start(name, startService) {
    return steps.run(name, async (note) => {
      const service = await keepServiceRunning(name, startService);
      note(service.about);
      return service;
    });
  }
}

/**
 * Returns the value of FLOODGATE_DEMO for `npm start`. The demo is the default only if `npm start` started both databases,
 * which then hold no other data, and if no public origin is set.
 *
 * @param {Record<string, string | undefined>} given  The environment of this process. An empty value counts as unset.
 * @param {{ ownDatabases: boolean }} options  `ownDatabases`: true if `npm start` started both databases.
 * @returns {string | undefined}
 */
export function chooseDemoFlag({ FLOODGATE_DEMO, PUBLIC_ORIGIN }, { ownDatabases }) {
  return FLOODGATE_DEMO || (ownDatabases && !PUBLIC_ORIGIN ? '1' : undefined);
}

const file = path.join(dataDir, 'session-secret');

/**
 * Reads the session secret of this clone, and creates it once, so that sessions survive a restart. Only `npm start` with
 * its own databases uses it: any other server needs SESSION_SECRETS.
 *
 * @returns {string}
 */
function readOrCreateSessionSecret() {
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
