import type { ScriptDefinition } from './lua-scripts';

/** A script of the limiter. */
export interface StoreScript extends ScriptDefinition {
  /** True if Redis may keep it as a function; see docs/decisions/025-redis-function.md. */
  isFunction?: boolean;
}

/** Holds the windows of a limiter, and runs its scripts atomically. */
export interface Store {
  /**
   * Runs a script on keys that are all in one slot. Never runs a call twice. Rejects at once without a connection. The
   * limiter has its own timeout.
   */
  run(script: StoreScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Returns a text that keys of one slot have in common. Absent: any keys may be in one script call. */
  slotOf?(key: string): string;
  /** Returns the clock of the store in epoch ms, if the limiter must use it for its caches too. */
  clock?(): number;
  /** Returns the last error of the connection, for the error of `Limiter.ready`. */
  connectionError?(): Promise<string | undefined>;
  /** Resolves when the store can run these scripts. Throws a `ScriptError` if one does not compile. */
  ready(scripts: readonly StoreScript[]): Promise<void>;
}
