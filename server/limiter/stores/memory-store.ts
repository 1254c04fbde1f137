import { rejectUnknownOptions } from '../decide/limiter-options';
import { liftBan, listBans } from './memory/bans';
import { decideBatch } from './memory/batch';
import { clearWindow } from './memory/generations';
import { createMemory, type Memory } from './memory/memory';
import { clockOf } from './memory/queue/memory-queue';
import { joinQueue } from './memory/queue/queue-join';
import { readMine } from './memory/queue/queue-mine';
import { serveQueue } from './memory/queue/queue-serve';
import { voidTickets } from './memory/queue/queue-void';
import type { Store } from './store';
import { StoreReplyError } from './store-error';

/** Runs one script in memory. `clock` is the clock of the store, in epoch ms. */
type MemoryScript = (
  memory: Memory,
  call: { keys: readonly string[]; args: readonly string[]; clock: number },
) => unknown;

const scripts: Readonly<Record<string, MemoryScript>> = {
  'limiter/decide.lua': decideBatch,
  'limiter/count-bans.lua': (memory, call) => listBans(memory, call.keys[0] ?? '', clockOf(call)).length,
  'limiter/list-bans.lua': (memory, call) => listBans(memory, call.keys[0] ?? '', clockOf(call)),
  'limiter/lift-ban.lua': liftBan,
  'limiter/queue-join.lua': joinQueue,
  'limiter/queue-mine.lua': readMine,
  'limiter/queue-serve.lua': serveQueue,
  'limiter/queue-void.lua': voidTickets,
  'limiter/clear-window.lua': clearWindow,
  'limiter/delete-key.lua': (memory, { keys: [key = ''] }) =>
    Object.values(memory).filter((values) => values.delete(key)).length,
};

/**
 * Creates a store in memory, for tests and for a single process: nothing is shared with other processes, and a restart
 * empties it. It decides like Redis, at once and without timers.
 *
 * `clock` returns epoch ms; a test moves it instead of waiting. Default: `Date.now`. The limiter uses it for its caches, too, so
 * that fake timers which move `Date` move everything.
 */
export function memoryStore(options: { clock?: () => number } = {}): Store {
  rejectUnknownOptions('memoryStore', options, { clock: true });
  const { clock: read = () => Date.now() } = options;
  const memory = createMemory(read);
  return {
    clock: read,
    async run({ file }, keys, args) {
      const script = scripts[file];
      if (!script) throw new StoreReplyError(`ERR the store in memory has no ${file}`);
      return script(memory, { keys, args: args.map(String), clock: Math.floor(read()) });
    },
    ready: async () => undefined,
  };
}
