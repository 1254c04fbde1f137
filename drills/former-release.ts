import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../scripts/lib/run-command.mjs';

/** The release before this one. Its nodes serve next to those of this release while a fleet is upgraded. */
export const FORMER_RELEASE = { version: '0.1.0', commit: '47aff2782fc41b187b05a9972180ce599ac5cfe6' };

const FOLDER = path.resolve('.data/releases', FORMER_RELEASE.version);

/**
 * Builds the former release from the history of this repository, once.
 *
 * @returns The folder with its `dist/main.js`. Throws if the history is missing, as in a shallow clone.
 */
export async function buildFormerRelease(): Promise<string> {
  if (existsSync(path.join(FOLDER, 'dist/.build-stamp'))) return FOLDER;
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const archive = `${FOLDER}.tar`;
  const hint = 'This drill needs npm and the whole history: git fetch --unshallow.';
  await runOrThrow('git', ['archive', `--output=${archive}`, FORMER_RELEASE.commit], { hint });
  await runOrThrow('tar', ['-xf', archive], { cwd: FOLDER, hint });
  await rm(archive);
  await runOrThrow('npm', ['run', 'build'], { cwd: FOLDER, hint });
  return FOLDER;
}
