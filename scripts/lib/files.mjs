import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns true for a system error with this code, such as `ENOENT`.
 *
 * @param {unknown} error
 * @param {string} code
 */
export function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Lists a file, or all files below a folder.
 *
 * @param {string} name
 * @returns {Promise<string[]>}  Sorted.
 */
export async function listFiles(name) {
  try {
    const entries = await readdir(name, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return [name];
    throw error;
  }
}

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
    for (const file of (await unlessMissing(listFiles(input))) ?? []) {
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
 * Returns undefined if a file or folder is missing.
 *
 * @template T
 * @param {Promise<T>} reading
 * @returns {Promise<T | undefined>}
 */
async function unlessMissing(reading) {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
