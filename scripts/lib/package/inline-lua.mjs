import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces server/limiter/stores/lua-files.ts by a module that holds the texts of the limiter's scripts, so that the package reads no file:
 * bundlers and serverless platforms do not copy files that no module imports.
 *
 * @param {() => Promise<Record<string, string>>} [readFiles]  Default: the scripts of the limiter.
 * @returns {import('esbuild').Plugin}
 */
export function inlineLua(readFiles = readLuaFiles) {
  return {
    name: 'inline-lua',
    setup({ onLoad }) {
      onLoad({ filter: /stores[\\/]lua-files\.ts$/ }, async () => ({
        contents: `
          const files = ${JSON.stringify(await readFiles())};
          export const readLuaFile = (file) => files[file];
          export const listLuaFiles = () => Object.keys(files);
        `,
      }));
    },
  };
}

/**
 * Reads the scripts of the limiter and the files that they include.
 *
 * @returns {Promise<Record<string, string>>}
 */
async function readLuaFiles() {
  /** @type {Record<string, string>} */
  const files = {};
  const names = await readdir(join('lua', 'limiter'));
  const pending = names.filter((name) => name.endsWith('.lua')).map((name) => `limiter/${name}`);
  for (const file of pending) {
    if (file in files) continue;
    const text = await readFile(join('lua', file), 'utf8');
    files[file] = text;
    for (const [, included = ''] of text.matchAll(/^--- @include "(.+)"$/gm))
      pending.push(join(dirname(file), included));
  }
  return files;
}
