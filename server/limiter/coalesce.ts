import type { RunScript } from '../lua-scripts';
import type { Terms } from './decide-script';
import { StoreReplyError, StoreUnavailableError } from './store-error';

/** One call as decide.lua takes it, and what its reply stands for. */
export interface Question<Answer> {
  terms: Terms;
  keys: readonly string[];
  /** Of this call, after those that it shares with others. */
  args: readonly (string | number)[];
  /** Reads the reply to this call. */
  read: (reply: string) => Answer;
}

/** Asks the store. Rejects with `StoreUnavailableError`, of the script or of this question alone. */
export type Ask = <Answer>(question: Question<Answer>) => Promise<Answer>;

export interface CoalesceOptions {
  /** decide.lua; rejects with `StoreUnavailableError`. */
  run: RunScript;
  /** The part of the store that a key is in: questions of different parts cannot travel together. */
  partOf: (key: string) => string;
  /** Epoch ms in place of the store's own clock. */
  clock: (() => number) | undefined;
  /** How many questions one script may carry. Default: 32. */
  mostTogether?: number;
}

interface Waiting {
  question: Question<unknown>;
  /** Epoch ms when it was asked; '' leaves it to the store. */
  clock: number | '';
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

interface Queue {
  waiting: Waiting[];
  /** Scripts under way. */
  inFlight: number;
}

/** So many decisions keep Redis busy for as long as a few commands would; more at once gain nothing. */
const MOST_TOGETHER = 32;

/**
 * Lets questions that are asked in the same turn of the event loop travel in one script: most of what a decision costs,
 * on both sides, is its way. A question that finds nothing under way goes at once. Their order is kept. See
 * docs/decisions/022-decision-batches.md.
 */
export function createCoalescedAsk({
  run,
  partOf,
  clock,
  mostTogether = MOST_TOGETHER,
}: CoalesceOptions): Ask {
  const queues = new Map<string, Queue>();

  function queueOf(part: string): Queue {
    const known = queues.get(part);
    if (known) return known;
    const queue = { waiting: [], inFlight: 0 };
    queues.set(part, queue);
    return queue;
  }

  async function send(part: string, queue: Queue): Promise<void> {
    const calls = queue.waiting;
    queue.waiting = [];
    queue.inFlight += 1;
    try {
      const { keys, args } = argumentsOf(calls);
      settle(calls, await run(keys, args));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    } finally {
      queue.inFlight -= 1;
      if (queue.inFlight === 0 && queue.waiting.length === 0) queues.delete(part);
    }
  }

  return <Answer>(question: Question<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const part = partOf(question.keys[0] ?? '');
      const queue = queueOf(part);
      const { waiting } = queue;
      // Each question is resolved with what it read itself.
      waiting.push({ question, clock: clock?.() ?? '', resolve: resolve as Waiting['resolve'], reject });
      if (queue.inFlight === 0 || waiting.length === mostTogether) void send(part, queue);
      else if (waiting.length === 1) setImmediate(() => waiting === queue.waiting && void send(part, queue));
    });
}

/** The keys and arguments of decide.lua for these calls; its header says which. */
function argumentsOf(calls: readonly Waiting[]) {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  let run = { terms: '', clock: '' as number | '', sizeAt: -1, size: 0 };
  for (const { question, clock } of calls) {
    if (question.terms !== run.terms || clock !== run.clock) {
      run = { terms: question.terms, clock, sizeAt: args.length + 2, size: 0 };
      args.push(question.terms, clock, 0);
    }
    run.size += 1;
    args[run.sizeAt] = run.size;
    keys.push(...question.keys);
    args.push(...question.args);
  }
  return { keys, args };
}

function settle(calls: readonly Waiting[], replies: unknown): void {
  if (!Array.isArray(replies) || replies.length !== calls.length)
    throw new TypeError(`decide.lua replied ${JSON.stringify(replies)} to ${calls.length} calls`);
  let place = 0;
  for (const { question, resolve, reject } of calls) {
    try {
      resolve(readReply(question, String(replies[place++])));
    } catch (cause) {
      reject(new StoreUnavailableError('the store failed', { cause }));
    }
  }
}

/** What a call reads in its own reply. Throws the error that it met, which begins with `-`, or that its reply is none. */
function readReply<Answer>(question: Question<Answer>, reply: string): Answer {
  if (reply.startsWith('-')) throw new StoreReplyError(reply.slice(1));
  return question.read(reply);
}
