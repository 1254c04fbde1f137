import { rejectUnknownOptions } from '../options';
import { decideCall } from './memory/decide-call';
import { createMemory, type Memory } from './memory/memory';
import { banSubject, liftBan, listBans } from './memory/punishments';
import { joinQueue } from './memory/queue-join';
import { serveQueue } from './memory/queue-serve';
import { readMine, voidTickets } from './memory/queue-tickets';
import { changeLease, clearWindow, resetWindows, settleCall } from './memory/settle-call';
import type { CommandReply, Store, StoreCommand, TimedCommand } from './store';
import { StoreReplyError } from './store-error';

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
  const now = () => Math.floor(read());

  /** Executes the commands of a batch at one instant. */
  function execute<Command, Reply>(
    batch: readonly TimedCommand<Command>[],
    run: (memory: Memory, command: Command, clock: number) => Reply,
  ): (Reply | Error)[] {
    const storeClock = now();
    return batch.map(({ command, clock = storeClock }) => {
      try {
        return run(memory, command, clock);
      } catch (error) {
        // A call that fails does not fail the others.
        if (error instanceof StoreReplyError) return error;
        throw error;
      }
    });
  }

  return {
    clock: read,
    decide: async (batch) => execute(batch, executeCommand),
    listBans: async (bansKey, clock = now()) => listBans(memory, bansKey, clock),
    countBans: async (bansKey, clock = now()) => listBans(memory, bansKey, clock).length,
    addBan: async (keys, ban, clock = now()) => banSubject(memory, keys, { ...ban, clock }),
    liftBan: async (keys, ban) => liftBan(memory, keys, ban),
    clearWindow: async (keys, generationId) => clearWindow(memory, keys, generationId),
    async resetWindows(starts, { generationId }) {
      resetWindows(memory, starts, generationId);
      return '0';
    },
    async deleteKey(key) {
      for (const values of Object.values(memory)) values.delete(key);
    },
    queue: {
      join: async (batch) => execute(batch, joinQueue),
      serve: async (command, clock = now()) => serveQueue(memory, command, clock),
      mine: async (command, clock = now()) => readMine(memory, command, clock),
      void: async (command, clock = now()) => ({
        ended: voidTickets(memory, command, clock),
        continuesAfter: '',
      }),
    },
    ready: async () => undefined,
  };
}

function executeCommand(memory: Memory, command: StoreCommand, clock: number): CommandReply {
  const { kind } = command.policyArgs;
  if (kind === 'decide' || kind === 'peek') return decideCall(memory, command, clock);
  return kind === 'settle'
    ? settleCall(memory, command, clock)
    : changeLease(memory, command, { kind, clock });
}
