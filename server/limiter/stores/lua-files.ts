import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `lua/` is one level above this file, in development (`server/`) as in the built bundle (`dist/`). Not from paths.ts,
 * because this file is copied with the limiter.
 */
const luaRoot = fileURLToPath(new URL('../lua/', import.meta.url));

/** Reads a file below `lua/`. The npm package replaces this module by one that holds the texts of its files. */
export function readLuaFile(file: string, root: string = luaRoot): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Lists the Lua files below `lua/`. */
export function listLuaFiles(root: string = luaRoot): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lua'));
}
