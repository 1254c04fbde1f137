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
 * Loads every script and function before the node serves calls. Throws a `StartError` with file and line if one does not
 * compile. Other errors (no permission, no memory, master down) are warnings, because each script is loaded again at its
 * first call.
 */
export async function loadAllScripts({ redis, limiter, log }: LoadAllScriptsOptions): Promise<void> {
  try {
    await loadScripts(redis);
    await limiter.load();
  } catch (cause) {
    if (cause instanceof ScriptError)
      throw new StartError(`Redis does not compile ${cause.message}.`, { cause });
    log.warn({ err: cause }, 'The scripts could not be loaded at start. Each is loaded at its first call.');
  }
}
