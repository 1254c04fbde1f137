import path from 'node:path';
import { spawnService } from './spawn-service.mjs';

/**
 * Starts PGlite behind its socket server. Every connection shares one session, so its clients use one connection
 * at a time; tell the server with `FLOODGATE_PGLITE=1`. The very first start on a folder takes some five seconds
 * and 800 MB, later ones a second.
 *
 * @param {{ dir: string, port?: number }} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startPgliteService({ dir, port }) {
  return spawnService(
    'pglite',
    { dir: path.resolve(dir), port, about: `embedded PGlite, files in ${dir}` },
    { logFile: path.join(dir, 'pglite.log'), startWithinMs: 60_000 },
  );
}
