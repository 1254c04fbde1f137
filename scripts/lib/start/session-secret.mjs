import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from '../has-code.mjs';
import { dataDir } from '../repo-root.mjs';

const file = path.join(dataDir, 'session-secret');

/**
 * Reads the session secret of this clone, and creates it once, so that sessions survive a restart. Only `npm start` with
 * its own databases uses it: any other server needs SESSION_SECRETS.
 *
 * @returns {string}
 */
export function readOrCreateSessionSecret() {
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
