import type { RunScript } from '../lua-scripts';
import { StoreUnavailableError } from './store-timeout';

/** One call as decide.lua takes it. */
export interface Question {
  /** Its policy as JSON, see `callRecord`. */
  record: string;
  keys: readonly string[];
  banMembers: readonly string[];
}

/** Asks the store. Rejects with `StoreUnavailableError`, of the script or of this question alone. */
export type Ask = (question: Question) => Promise<unknown>;

export interface CoalesceOptions {
  /** decide.lua; rejects with `StoreUnavailableError`. */
  run: RunScript;
  /** The part of the store that a key is in: questions of different parts cannot travel together. */
  partOf: (key: string) => string;
  /** Epoch ms in place of the store's own clock. */
  clock: (() => number) | undefined;
}

interface Waiting {
  question: Question;
  /** Epoch ms when it was asked; '' leaves it to the store. */
  clock: number | '';
  resolve: (reply: unknown) => void;
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
 * docs/decisions/022-decisions-travel-together.md.
 */
export function createCoalescedAsk({ run, partOf, clock }: CoalesceOptions): Ask {
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

  return (question) =>
    new Promise((resolve, reject) => {
      const part = partOf(question.keys[0] ?? '');
      const queue = queueOf(part);
      const { waiting } = queue;
      waiting.push({ question, clock: clock?.() ?? '', resolve, reject });
      if (queue.inFlight === 0 || waiting.length === MOST_TOGETHER) void send(part, queue);
      else if (waiting.length === 1) setImmediate(() => waiting === queue.waiting && void send(part, queue));
    });
}

/** The keys and arguments of decide.lua for these calls. */
function argumentsOf(calls: readonly Waiting[]) {
  const records: string[] = [];
  const keys: string[] = [];
  const args: (string | number)[] = [''];
  for (const { question, clock } of calls) {
    let place = records.indexOf(question.record);
    if (place === -1) place = records.push(question.record) - 1;
    keys.push(...question.keys);
    args.push(place + 1, clock, question.keys.length, ...question.banMembers);
  }
  args[0] = `[${records.join(',')}]`;
  return { keys, args };
}

/** Gives each call its own reply; a text is the error that this call met. */
function settle(calls: readonly Waiting[], replies: unknown): void {
  if (!Array.isArray(replies) || replies.length !== calls.length) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(replies)} to ${calls.length} calls`);
  }
  for (const [place, { resolve, reject }] of calls.entries()) {
    const reply: unknown = replies[place];
    if (typeof reply === 'string')
      reject(new StoreUnavailableError('the store failed', { cause: new Error(reply) }));
    else resolve(reply);
  }
}
