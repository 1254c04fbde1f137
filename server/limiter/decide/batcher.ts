import { getOrCreate } from '../get-or-create';
import { areRequestsIsolated, runAfterReplies, runInMicrotask } from '../stores/event-loop';
import type { CommandReply, DecideReply, PolicyArgs, StoreCommand, TimedCommand } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';

/**
 * Sends a command, and resolves with the decoded reply. Rejects with `StoreUnavailableError` if the call of the store or this
 * command alone fails.
 */
export type Send<Command, Reply> = <Result>(
  command: Command,
  decode: (reply: Reply) => Result,
) => Promise<Result>;

/** Sends a command of `Store.decide`. */
export interface SendCommand {
  <Result>(
    command: StoreCommand & { policyArgs: PolicyArgs & { kind: 'decide' | 'peek' } },
    decode: (reply: DecideReply) => Result,
  ): Promise<Result>;
  <Result>(command: StoreCommand, decode: (reply: CommandReply) => Result): Promise<Result>;
}

export interface BatcherOptions<Command, Reply> {
  /** Executes a batch. Rejects with `StoreUnavailableError`. */
  run: (batch: readonly TimedCommand<Command>[]) => Promise<readonly (Reply | Error)[]>;
  /** Returns a text that commands of one batch have in common: those of other slots are in other batches. */
  slotOf: (command: Command) => string;
  /** Returns epoch ms to use instead of the store's clock. */
  clock: (() => number) | undefined;
  /** The largest number of commands in one batch. Default: 32. */
  maxBatchSize?: number;
}

interface PendingCommand<Command, Reply> extends TimedCommand<Command> {
  decode: (reply: Reply) => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

interface PendingCommands<Command, Reply> {
  pending: PendingCommand<Command, Reply>[];
  /** The number of batches without a reply. */
  inFlight: number;
}

/** Keeps Redis busy as long as a few plain commands do. A larger batch gains nothing. */
const MAX_BATCH_SIZE = areRequestsIsolated ? 1 : 32;

/**
 * Batches the commands made in one event-loop tick into one call of the store, because the round trip dominates their cost.
 * If no batch is in flight, a batch is sent at the end of the current microtask: it holds the commands that a caller
 * sends together, and adds no delay. Otherwise it is sent at the end of the tick. Commands keep their order. See
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/022-decision-batches.md.
 */
export function createBatcher<Command, Reply>({
  run,
  slotOf,
  clock,
  maxBatchSize = MAX_BATCH_SIZE,
}: BatcherOptions<Command, Reply>): Send<Command, Reply> {
  const commandsBySlot = new Map<string, PendingCommands<Command, Reply>>();
  const createPending = (): PendingCommands<Command, Reply> => ({ pending: [], inFlight: 0 });

  function sendBatch(slot: string, commands: PendingCommands<Command, Reply>): void {
    const batch = commands.pending;
    commands.pending = [];
    commands.inFlight += 1;
    const end = () => {
      commands.inFlight -= 1;
      if (commands.inFlight === 0 && commands.pending.length === 0) commandsBySlot.delete(slot);
    };
    run(batch).then(
      (replies) => {
        end();
        settleBatch(batch, replies);
      },
      (error) => {
        end();
        for (const { reject } of batch) reject(error);
      },
    );
  }

  return function sendCommand<Result>(command: Command, decode: (reply: Reply) => Result) {
    return new Promise<Result>((resolve, reject) => {
      const slot = slotOf(command);
      const commands = getOrCreate(commandsBySlot, slot, createPending);
      const { pending } = commands;
      // Each command is resolved with the result of its own `decode`.
      const resolveAny = resolve as PendingCommand<Command, Reply>['resolve'];
      pending.push({ command, clock: clock?.(), decode, resolve: resolveAny, reject });
      const send = () => pending === commands.pending && sendBatch(slot, commands);
      if (pending.length === maxBatchSize) send();
      else if (pending.length === 1) (commands.inFlight === 0 ? runInMicrotask : runAfterReplies)(send);
    });
  };
}

function settleBatch<Command, Reply>(
  batch: readonly PendingCommand<Command, Reply>[],
  replies: readonly (Reply | Error)[],
): void {
  let index = 0;
  for (const { decode, resolve, reject } of batch) {
    try {
      const reply = replies[index++];
      if (reply === undefined) throw new TypeError('the store replied to too few commands');
      if (reply instanceof Error) throw reply;
      resolve(decode(reply));
    } catch (cause) {
      reject(new StoreUnavailableError('the store failed', { cause }));
    }
  }
}
