import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `lua/` is next to `server/` in development, and next to `dist/` for a bundle. */
const luaRoot = ['../../../lua/', '../lua/']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(folder)) as string;

/** Reads a file below `lua/`. The npm package replaces this module by one that holds the texts of its files. */
export function readLuaFile(file: string, root: string = luaRoot): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Lists the Lua files below `lua/`. */
export function listLuaFiles(root: string = luaRoot): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lua'));
}
