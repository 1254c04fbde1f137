import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dataDir } from '../repo-root.mjs';

const file = path.join(dataDir, 'session-secret');

/**
 * A secret made once per clone, so that sign-ins survive a restart. Only the embedded start uses it: a server on
 * real databases must be given its own.
 *
 * @returns {string}
 */
export function readOrCreateSessionSecret() {
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
