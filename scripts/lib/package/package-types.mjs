import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Matches the relative imports of a declaration file. */
const RELATIVE_IMPORT = /(\bfrom |\bimport\()(['"])(\.{1,2}\/[^'"]+)\2/g;

/**
 * Copies the declaration files that the entry points reach to `types/`, with the extension in each relative import, which
 * `moduleResolution: nodenext` needs.
 *
 * @param {string} emitted  Folder of the emitted declaration files, deleted at the end.
 * @param {{ exports: Record<string, { types: string }> }} manifest
 * @param {string} folder  Folder of the package.
 */
export async function copyTypes(emitted, { exports }, folder) {
  const pending = Object.values(exports).map(({ types }) => path.posix.relative('types', types.slice(2)));
  const copied = new Set();
  for (const file of pending) {
    if (copied.has(file)) continue;
    copied.add(file);
    const text = await readFile(path.join(emitted, file), 'utf8');
    const target = path.join(folder, 'types', file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text.replace(RELATIVE_IMPORT, '$1$2$3.js$2'));
    for (const [, , , imported = ''] of text.matchAll(RELATIVE_IMPORT))
      pending.push(path.posix.join(path.posix.dirname(file), `${imported}.d.ts`));
  }
  await rm(emitted, { recursive: true });
}
