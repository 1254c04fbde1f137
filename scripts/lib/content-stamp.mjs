import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * A hash over the names and contents of files, so that work whose inputs did not change can be skipped.
 * Contents, not times: a fresh clone or a switched branch gives every file a new time.
 *
 * @param {string[]} inputs Files and folders; one that does not exist counts as empty.
 * @param {{ extra?: string[], skip?: (file: string) => boolean }} [options] `extra` is hashed as it is.
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
 * @returns {Promise<boolean>} Whether the stamp was left by work on this very content.
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
 * @returns {Promise<string[]>} All files at or below the path, sorted so that the hash is stable.
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
