import path from 'node:path';
import { spawnService } from './spawn-service.mjs';

/**
 * Starts PGlite behind its socket server. All connections share one session, so clients must use one connection at a time:
 * set `FLOODGATE_PGLITE=1` for the server. The first start on a folder takes about 5 s and 800 MB, later ones 1 s.
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
