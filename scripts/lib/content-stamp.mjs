import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Hashes the names and contents of files, so that work with unchanged inputs can be skipped. It ignores modification
 * times, because a fresh clone or a switched branch changes them all.
 *
 * @param {string[]} inputs Files and folders; a missing one counts as empty.
 * @param {{ extra?: string[], skip?: (file: string) => boolean }} [options] `extra`: further texts to hash.
 * @returns {Promise<string>}
 */
export async function hashContent(inputs, { extra = [], skip = () => false } = {}) {
  const hash = createHash('sha256');
  for (const text of extra) hash.update(`${text}\0`);
  for (const input of inputs) {
    for (const file of await listFiles(input)) {
      if (skip(file)) continue;
      hash.update(`${file}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

/**
 * @param {string} stamp
 * @param {string} hash
 * @returns {Promise<boolean>} True if the stamp holds this hash.
 */
export async function isStamped(stamp, hash) {
  return (await unlessMissing(readFile(stamp, 'utf8'))) === hash;
}

/**
 * @param {string} stamp
 * @param {string} hash
 */
export async function writeStamp(stamp, hash) {
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, hash);
}

/** @param {string} stamp */
export async function removeStamp(stamp) {
  await rm(stamp, { force: true });
}

/**
 * @param {string} input
 * @returns {Promise<string[]>} All files at or below the path, sorted for a stable hash.
 */
async function listFiles(input) {
  const entries = await unlessMissing(readdir(input, { withFileTypes: true }), ['ENOTDIR']);
  if (!entries) return (await unlessMissing(readFile(input))) ? [input] : [];
  const nested = await Promise.all(
    entries
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => {
        const child = path.join(input, entry.name);
        return entry.isDirectory() ? listFiles(child) : [child];
      }),
  );
  return nested.flat();
}

/**
 * @template T
 * @param {Promise<T>} reading
 * @param {string[]} [alsoMissing]
 * @returns {Promise<T | undefined>}
 */
async function unlessMissing(reading, alsoMissing = []) {
  try {
    return await reading;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || alsoMissing.includes(code)) return undefined;
    throw error;
  }
}
