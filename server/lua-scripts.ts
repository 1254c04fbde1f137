import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `lua/` is one level above this file, in development (`server/`) as in the built bundle (`dist/`). */
const luaRoot = fileURLToPath(new URL('../lua/', import.meta.url));

/** What a script needs from a Redis client; an ioredis `Redis` or `Cluster` fits. */
export interface ScriptHost {
  defineCommand(name: string, definition: { lua: string }): void;
}

/** One script: the command it becomes on the client, its file below `lua/`, and how many keys it takes. */
export interface ScriptDefinition {
  command: string;
  file: string;
  /** A number, or 'variable' where the caller decides (the header of the file says by what). */
  numberOfKeys: number | 'variable';
}

/** Runs a script. Where the server lacks it, it is loaded first; no other error is ever retried. */
export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** Reads a script with its includes and gives it to the client, once per client. */
export function defineScript(redis: ScriptHost, script: ScriptDefinition): RunScript {
  redis.defineCommand(script.command, { lua: readScript(script.file) });
  const command: unknown = Reflect.get(redis, script.command);
  if (typeof command !== 'function') throw new TypeError(`the client did not define ${script.command}`);
  return async function runScript(keys, args) {
    if (script.numberOfKeys !== 'variable' && keys.length !== script.numberOfKeys) {
      throw new RangeError(`${script.file} takes ${script.numberOfKeys} keys, not ${keys.length}`);
    }
    return command.call(redis, keys.length, ...keys, ...args);
  };
}

/** The text of a script, each `--- @include "path"` line replaced by that file, once, relative to the includer. */
export function readScript(file: string, included: Set<string> = new Set()): string {
  const path = join(luaRoot, file);
  return readFileSync(path, 'utf8').replace(/^--- @include "(.+)"$/gm, (_line, target: string) => {
    const inner = join(dirname(file), target);
    if (included.has(inner)) return '';
    included.add(inner);
    return readScript(inner, included);
  });
}
