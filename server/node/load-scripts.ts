import { StartError } from '../errors';
import type { Limiter } from '../limiter';
import { loadScripts, ScriptError, type ScriptLoader } from '../lua-scripts';
import type { Log } from '../observability/log';

export interface LoadAllScriptsOptions {
  redis: ScriptLoader;
  limiter: Pick<Limiter, 'load'>;
  log: Pick<Log, 'warn'>;
}

/**
 * Loads every script and function before the node serves a call. Throws a `StartError` with file and line for one that
 * does not compile. Anything else (no permission, no memory, a master that is away) is a warning: each script is loaded
 * again when it is first called.
 */
export async function loadAllScripts({ redis, limiter, log }: LoadAllScriptsOptions): Promise<void> {
  try {
    await loadScripts(redis);
    await limiter.load();
  } catch (cause) {
    if (cause instanceof ScriptError)
      throw new StartError(`Redis does not compile ${cause.message}.`, { cause });
    log.warn({ err: cause }, 'The scripts could not be loaded at start; each is loaded by its first call.');
  }
}
