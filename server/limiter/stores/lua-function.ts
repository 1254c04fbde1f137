import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { emitWarning } from '../options';
import {
  defineScript,
  joinLines,
  type RunScript,
  readSource,
  type ScriptDefinition,
  type ScriptHost,
  scriptErrorOf,
} from './lua-scripts';
import { replyCodeOf } from './store-error';

/** The part of a Redis client that functions need; an ioredis `Redis` or `Cluster` fits. Without `fcall` scripts run. */
export interface FunctionHost extends ScriptHost {
  fcall?(name: string, keyCount: number, ...keysAndArgs: (string | number)[]): Promise<unknown>;
  function?: {
    (load: 'LOAD', replace: 'REPLACE', library: string): Promise<unknown>;
    (list: 'LIST', libraryName: 'LIBRARYNAME', pattern: string): Promise<unknown>;
    (remove: 'DELETE', library: string): Promise<unknown>;
  };
  /** Returns the masters of a cluster, because each holds its own functions. */
  nodes?(role: 'master'): FunctionHost[];
}

export interface FunctionOptions {
  /** Receives once the reason why calls run as scripts. Default: `process.emitWarning`, else `console.warn`. */
  onWarning?: (message: string) => void;
}

/** Runs the function, or the script instead. */
export interface RunFunction extends RunScript {
  /**
   * Loads the function into every master before its first call. Throws a `ScriptError` if it does not compile. Does
   * nothing if functions cannot be used.
   */
  load(): Promise<void>;
}

/**
 * Defines a script of `lua/` as a Redis function. Redis creates a function once instead of with each call, and keeps the
 * values of its local variables. Redis persists and replicates functions. If a server lacks it nonetheless, it is loaded
 * and the call is sent again. If Redis does not support functions, or the service or the user forbids them, the script runs
 * instead: https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/025-redis-function.md
 *
 * The script must end with `return NAME(KEYS, ARGV)`.
 */
export function defineFunction(
  redis: FunctionHost,
  script: ScriptDefinition,
  { onWarning = emitWarning }: FunctionOptions = {},
): RunFunction {
  const runScript = defineScript(redis, script);
  if (!redis.fcall || !redis.function) return Object.assign(runScript, { load: async () => undefined });
  const fcall = redis.fcall.bind(redis);
  const { name, library, source } = libraryOf(script);
  let areScripts = false;
  let loading: Promise<void> | undefined;

  function load(): Promise<void> {
    loading ??= loadInto(redis.nodes?.('master') ?? [redis], library).finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function recover(error: unknown, keys: readonly string[], args: readonly (string | number)[]) {
    try {
      if (!(error instanceof Error && /function not found/i.test(error.message))) throw error;
      await load();
      return await fcall(name, keys.length, ...keys, ...args);
    } catch (reason) {
      if (!isUnsupported(reason)) throw reason;
      if (!areScripts)
        onWarning(`${script.file} runs as a script, which takes twice as long. ${reason.message}`);
      areScripts = true;
      return runScript(keys, args);
    }
  }

  const run: RunScript = (keys, args) =>
    areScripts
      ? runScript(keys, args)
      : fcall(name, keys.length, ...keys, ...args).catch((error: unknown) => recover(error, keys, args));

  return Object.assign(run, {
    async load() {
      try {
        await load();
      } catch (error) {
        if (!isUnsupported(error)) throw scriptErrorOf(error, source) ?? error;
      }
    },
  });
}

/** Returns the name of a script's function and library. It has a hash of the text, so each release uses its own. */
export function functionName(script: ScriptDefinition): string {
  return libraryOf(script).name;
}

function libraryOf({ command, file }: ScriptDefinition) {
  const lines = readSource(file);
  const text = joinLines(lines);
  const name = `${command}_${bytesToHex(sha256(text)).slice(0, 12)}`;
  const registered = text.replace(
    /^return (\w+)\(KEYS, ARGV\)$/m,
    (_line, decide: string) => `redis.register_function('${name}', ${decide})`,
  );
  if (registered === text) throw new TypeError(`${file} does not end with the call of its function`);
  const shebang = `#!lua name=${name}`;
  return { name, library: `${shebang}\n${registered}`, source: [{ text: shebang, file, line: 0 }, ...lines] };
}

/**
 * Loads a library into all nodes. Resolves when the first node has it, because a later call reaches the others after it
 * on the same connection. A node that cannot be reached replies to a later call that the function is missing.
 */
async function loadInto(nodes: readonly FunctionHost[], library: string): Promise<void> {
  if (nodes.length === 0) throw new Error('no master of the cluster is known');
  try {
    await Promise.any(nodes.map(async (node) => node.function?.('LOAD', 'REPLACE', library)));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

/** The words of servers and managed services that know no functions or forbid them. */
const UNSUPPORTED =
  /unknown command|unsupported|not support|not available|disabled|not allowed|not permitted|forbidden|no permission/i;

/** Errors of a running function, which may have charged, and missing rights to a key. */
const OTHER_ERROR = /\bscript\b|user_function|\bkeys?\b/i;

/** Returns true for a reply that refuses FCALL or FUNCTION. A busy, full or read-only server has a code of its own. */
export function isUnsupported(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // What follows quotes the arguments, keys of the caller among them.
  const [text = ''] = error.message.split(', with args beginning with');
  if (OTHER_ERROR.test(text)) return false;
  const code = replyCodeOf(error);
  if (code === 'NOPERM') return true;
  return (code === 'ERR' || code === undefined) && UNSUPPORTED.test(text);
}
