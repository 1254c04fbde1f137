import type { RunScript } from '../lua-scripts';
import type { PolicyArgs } from './codec';
import { StoreReplyError, StoreUnavailableError } from './store-error';

/** One call as decide.lua takes it, and what its reply stands for. */
export interface Command<Answer> {
  policyArgs: PolicyArgs;
  keys: readonly string[];
  /** Of this call, after those that it shares with others. */
  args: readonly (string | number)[];
  /** Reads the reply to this call. */
  decode: (reply: string) => Answer;
}

/** Asks the store. Rejects with `StoreUnavailableError`, of the script or of this question alone. */
export type SendCommand = <Answer>(question: Command<Answer>) => Promise<Answer>;

export interface BatcherOptions {
  /** decide.lua; rejects with `StoreUnavailableError`. */
  run: RunScript;
  /** The part of the store that a key is in: questions of different parts cannot travel together. */
  hashTagOf: (key: string) => string;
  /** Epoch ms in place of the store's own clock. */
  clock: (() => number) | undefined;
  /** How many questions one script may carry. Default: 32. */
  maxBatchSize?: number;
}

interface PendingCommand {
  command: Command<unknown>;
  /** Epoch ms when it was asked; '' leaves it to the store. */
  clock: number | '';
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

interface Queue {
  pending: PendingCommand[];
  /** Scripts under way. */
  inFlight: number;
}

/** So many decisions keep Redis busy for as long as a few commands would; more at once gain nothing. */
const MAX_BATCH_SIZE = 32;

/**
 * Lets questions that are asked in the same turn of the event loop travel in one script: most of what a decision costs,
 * on both sides, is its way. A question that finds nothing under way goes at once. Their order is kept. See
 * docs/decisions/022-decision-batches.md.
 */
export function createBatcher({
  run,
  hashTagOf: partOf,
  clock,
  maxBatchSize: mostTogether = MAX_BATCH_SIZE,
}: BatcherOptions): SendCommand {
  const queues = new Map<string, Queue>();

  function getQueue(part: string): Queue {
    const known = queues.get(part);
    if (known) return known;
    const queue = { waiting: [], inFlight: 0 };
    queues.set(part, queue);
    return queue;
  }

  async function send(part: string, queue: Queue): Promise<void> {
    const calls = queue.pending;
    queue.pending = [];
    queue.inFlight += 1;
    try {
      const { keys, args } = encodeBatch(calls);
      settleBatch(calls, await run(keys, args));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    } finally {
      queue.inFlight -= 1;
      if (queue.inFlight === 0 && queue.pending.length === 0) queues.delete(part);
    }
  }

  return <Answer>(question: Command<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const part = partOf(question.keys[0] ?? '');
      const queue = getQueue(part);
      const { pending: waiting } = queue;
      // Each question is resolved with what it read itself.
      waiting.push({
        command: question,
        clock: clock?.() ?? '',
        resolve: resolve as PendingCommand['resolve'],
        reject,
      });
      if (queue.inFlight === 0 || waiting.length === mostTogether) void send(part, queue);
      else if (waiting.length === 1) setImmediate(() => waiting === queue.pending && void send(part, queue));
    });
}

/** The keys and arguments of decide.lua for these calls; its header says which. */
function encodeBatch(calls: readonly PendingCommand[]) {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  let run = { terms: '', clock: '' as number | '', sizeAt: -1, size: 0 };
  for (const { command: question, clock } of calls) {
    if (question.policyArgs !== run.terms || clock !== run.clock) {
      run = { terms: question.policyArgs, clock, sizeAt: args.length + 2, size: 0 };
      args.push(question.policyArgs, clock, 0);
    }
    run.size += 1;
    args[run.sizeAt] = run.size;
    keys.push(...question.keys);
    args.push(...question.args);
  }
  return { keys, args };
}

function settleBatch(calls: readonly PendingCommand[], replies: unknown): void {
  if (!Array.isArray(replies) || replies.length !== calls.length)
    throw new TypeError(`decide.lua replied ${JSON.stringify(replies)} to ${calls.length} calls`);
  let place = 0;
  for (const { command: question, resolve, reject } of calls) {
    try {
      resolve(decodeReply(question, String(replies[place++])));
    } catch (cause) {
      reject(new StoreUnavailableError('the store failed', { cause }));
    }
  }
}

/** What a call reads in its own reply. Throws the error that it met, which begins with `-`, or that its reply is none. */
function decodeReply<Answer>(question: Command<Answer>, reply: string): Answer {
  if (reply.startsWith('-')) throw new StoreReplyError(reply.slice(1));
  return question.decode(reply);
}
