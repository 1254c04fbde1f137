import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './has-code.mjs';

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
