import { listLuaFiles, readLuaFile } from './lua-files';
import { ScriptError } from './store-error';

/** The part of a Redis client that scripts use; an ioredis `Redis` or `Cluster` fits. */
export interface ScriptHost {
  defineCommand(name: string, definition: { lua: string }): void;
}

/** One script: its command on the client, its file below `lua/`, and its number of keys. */
export interface ScriptDefinition {
  command: string;
  file: string;
  /** A number, or 'variable' if it depends on the call; the header of the file states on what. */
  numberOfKeys: number | 'variable';
}

/** Runs a script. If Redis does not have it, it is loaded first. Other errors are not retried. */
export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** Defines a script with its includes as a command of the client. Call it once per client. */
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

/** Reads the text of a script with its includes. */
export function readScript(file: string, root?: string): string {
  return joinLines(readSource(file, root));
}

/** Lists every script below `lua/`. A file without a list of KEYS is an include. */
export function scriptFiles(root?: string): string[] {
  return listLuaFiles(root)
    .filter((file) => /^-- KEYS/m.test(readLuaFile(file, root)))
    .sort();
}

/** Loads scripts without running them; an ioredis `Redis` or `Cluster` fits. */
export interface ScriptLoader {
  script?(load: 'LOAD', text: string): Promise<unknown>;
  /** Only of a cluster: each master has its own scripts. */
  nodes?(role: 'master'): ScriptLoader[];
}

/**
 * Loads every script into every master. Throws a `ScriptError` for one that Redis does not compile, in preference to the
 * error of a single node.
 */
export async function loadScripts(redis: ScriptLoader, root?: string): Promise<void> {
  const loaders = redis.nodes?.('master') ?? [redis];
  const loading = scriptFiles(root).flatMap((file) => {
    const source = readSource(file, root);
    return loaders.map(async (loader) => {
      try {
        await loader.script?.('LOAD', joinLines(source));
      } catch (cause) {
        throw scriptErrorOf(cause, source) ?? cause;
      }
    });
  });
  const failures = (await Promise.allSettled(loading)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  const failure = failures.find((error) => error instanceof ScriptError) ?? failures[0];
  if (failure !== undefined) throw failure;
}

/** A line of a script, with its file and number. */
export interface SourceLine {
  text: string;
  /** Below `lua/`. */
  file: string;
  /** Counts from 1. */
  line: number;
}

/**
 * Reads the lines of a script. Each `--- @include "path"` line, relative to its file, is replaced by the lines of that file;
 * a second include of a file is empty.
 */
export function readSource(file: string, root?: string): SourceLine[] {
  return includeLines(file, { root, included: new Set() });
}

function includeLines(
  file: string,
  { root, included }: { root: string | undefined; included: Set<string> },
): SourceLine[] {
  const lines = readLuaFile(file, root).split('\n');
  return lines.flatMap((text, index) => {
    const target = /^--- @include "(.+)"$/.exec(text)?.[1];
    const inner = target === undefined ? undefined : new URL(target, `file:///${file}`).pathname.slice(1);
    if (inner === undefined) return [{ text, file, line: index + 1 }];
    if (included.has(inner)) return [{ text: '', file, line: index + 1 }];
    included.add(inner);
    return includeLines(inner, { root, included });
  });
}

/** Matches the line and the text of an error of Redis, in a script and in a function library. */
const ERROR_POSITION = /user_(?:script|function):(\d+): (.*)/;

/** Converts the error of Redis about a script that does not compile; `undefined` for any other error. */
export function scriptErrorOf(cause: unknown, source: readonly SourceLine[]): ScriptError | undefined {
  const [, number, reason = ''] = (cause instanceof Error && ERROR_POSITION.exec(cause.message)) || [];
  const line = number === undefined ? undefined : source[Number(number) - 1];
  if (!line) return undefined;
  const located = reason.replace(/\bat line (\d+)/g, (text, other: string) => {
    const at = source[Number(other) - 1];
    return at ? `at lua/${at.file}, line ${at.line}` : text;
  });
  return new ScriptError(line, { reason: located, cause });
}

/** Joins the lines of a script to its text. */
export function joinLines(source: readonly SourceLine[]): string {
  return source.map(({ text }) => text).join('\n');
}
