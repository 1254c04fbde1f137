import type { RunScript } from '../stores/lua-scripts';
import { StoreReplyError, StoreUnavailableError } from '../stores/store-error';
import { type EncodedCommand, encodeBatch } from './codec';
import { runAfterReplies, runInMicrotask } from './event-loop';
import { getOrCreate } from './get-or-create';

/** One call of decide.lua or queue-join.lua, and the decoder of its reply. */
export interface Command<Result, Reply = string> extends EncodedCommand {
  decode: (reply: Reply) => Result;
}

/** Sends a command. Rejects with `StoreUnavailableError` if the script call or this command alone fails. */
export type SendCommand<Reply = string> = <Result>(command: Command<Result, Reply>) => Promise<Result>;

export interface BatcherOptions<Reply = string> {
  /** Executes the script. Rejects with `StoreUnavailableError`. */
  run: RunScript;
  /** Splits the reply of the script into those of its commands. A text that begins with `-` is the error of a command. */
  splitReply: (reply: unknown) => readonly Reply[];
  /** Throws for a command that does not fit its policy arguments, which then fails alone. Default: none is validated. */
  validate?: (command: EncodedCommand) => void;
  /**
   * Returns the hash tag of a key. Commands with different hash tags are in different batches. A store without hash
   * slots returns the same text for every key.
   */
  hashTagOf: (key: string) => string;
  /** Returns epoch ms to use instead of the store's clock. */
  clock: (() => number) | undefined;
  /** The largest number of commands in one script call. Default: 32. */
  maxBatchSize?: number;
}

interface PendingCommand<Reply> {
  command: Command<unknown, Reply>;
  /** Epoch ms when the command was sent; `undefined` stands for the store's clock. */
  clock: number | undefined;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

interface PendingCommands<Reply> {
  pending: PendingCommand<Reply>[];
  /** The number of script calls without a reply. */
  inFlight: number;
}

/** 32 decisions keep Redis busy for about 120 µs, the time of a few plain commands. A larger batch gains nothing. */
const MAX_DECISIONS_PER_SCRIPT = 32;

/**
 * Batches the decisions made in one event-loop tick into one script call, because the round trip dominates their cost.
 * If no script call is in flight, a batch is sent at the end of the current microtask: it holds the commands that a caller
 * sends together, and adds no delay. Otherwise it is sent at the end of the tick. Commands keep their order. See
 * docs/decisions/022-decision-batches.md.
 */
export function createBatcher<Reply>({
  run,
  splitReply,
  validate,
  hashTagOf,
  clock,
  maxBatchSize = MAX_DECISIONS_PER_SCRIPT,
}: BatcherOptions<Reply>): SendCommand<Reply> {
  const commandsByTag = new Map<string, PendingCommands<Reply>>();
  const createPending = (): PendingCommands<Reply> => ({ pending: [], inFlight: 0 });

  async function sendBatch(hashTag: string, commands: PendingCommands<Reply>): Promise<void> {
    const batch = commands.pending;
    commands.pending = [];
    commands.inFlight += 1;
    try {
      const { keys, args } = encodeBatch(batch);
      settleBatch(batch, splitReply(await run(keys, args)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      commands.inFlight -= 1;
      if (commands.inFlight === 0 && commands.pending.length === 0) commandsByTag.delete(hashTag);
    }
  }

  return function sendCommand<Result>(command: Command<Result, Reply>) {
    return new Promise<Result>((resolve, reject) => {
      validate?.(command);
      const hashTag = hashTagOf(command.keys[0] ?? '');
      const commands = getOrCreate(commandsByTag, hashTag, createPending);
      const { pending } = commands;
      // Each command is resolved with the result of its own `decode`.
      pending.push({
        command,
        clock: clock?.(),
        resolve: resolve as PendingCommand<Reply>['resolve'],
        reject,
      });
      const send = () => pending === commands.pending && void sendBatch(hashTag, commands);
      if (pending.length === maxBatchSize) send();
      else if (pending.length === 1) (commands.inFlight === 0 ? runInMicrotask : runAfterReplies)(send);
    });
  };
}

function settleBatch<Reply>(batch: readonly PendingCommand<Reply>[], replies: readonly Reply[]): void {
  if (replies.length !== batch.length)
    throw new TypeError(`the script replied ${JSON.stringify(replies)} to ${batch.length} calls`);
  let index = 0;
  for (const { command, resolve, reject } of batch) {
    try {
      // There are as many replies as commands.
      const reply = replies[index++] as Reply;
      if (typeof reply === 'string' && reply.startsWith('-')) throw new StoreReplyError(reply.slice(1));
      resolve(command.decode(reply));
    } catch (cause) {
      reject(new StoreUnavailableError('the store failed', { cause }));
    }
  }
}
