/** One answer of the examined server. The limiter decided it between `from` and `to`, in ms of the clock of the target. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  from: number;
  to: number;
}

/** The changed parts of a call. */
export interface Variation {
  headers?: Readonly<Record<string, string>>;
  /** The path with the other case of its letters. Default: false. */
  hasOtherCase?: boolean;
}

/** The examined server, and the monotonic clock on which it is called. */
export interface Target {
  now(): number;
  sleepUntil(instant: number): Promise<void>;
  send(variation?: Variation): Promise<Answer>;
}

/** An answer in an examination. */
export interface SeenCall extends Answer {
  allowed: boolean;
  /** The round of the examination. */
  round: string;
}

/** The bounds of an examination. */
export const MAX_WINDOWS = 20;
export const MAX_PARALLEL = 50;

/** The parts of an examination, in their order. Some are left out when the answer is certain. */
export const rounds = 'limit delays window refusals returns edge burst retry bypass'.split(' ');

export interface SessionOptions {
  /** Statuses of a refusal. */
  refusedBy: readonly number[];
  maxCalls: number;
  /** Receives each call after its answer. */
  onCall?: (call: SeenCall) => void;
}

/** The calls of a round. Their times are parts of the window. */
export interface Plan {
  windowMs: number;
  /** Default: after a window without calls. */
  begin?: number;
  /** At each time, single calls until one is refused or `most` are admitted. */
  fills: (readonly [at: number, most: number])[];
  /** After that, about one call every `every`. */
  poll?: { from: number; every: number; until: number } | undefined;
}

/** The calls of an examination. */
export type Session = ReturnType<typeof createSession>;

/** Creates the session of one target. */
export function createSession(target: Target, { refusedBy, maxCalls, onCall }: SessionOptions) {
  /** In their order, without those that pretend to be of another caller. */
  const calls: SeenCall[] = [];
  let started = 0;

  async function send(round: string, variation?: Variation): Promise<SeenCall> {
    started += 1;
    if (started > maxCalls)
      throw new ExamineError(`The examination needs more than ${maxCalls} calls. Raise --max-calls.`);
    const answer = await target.send(variation);
    const allowed = !refusedBy.includes(answer.status);
    if (allowed && answer.status >= 500)
      throw new ExamineError(
        `The server answered ${answer.status}. If this is a refusal, name it: --refused ${answer.status}.`,
      );
    const call = { ...answer, allowed, round };
    onCall?.(call);
    return call;
  }

  /** Sends one call and waits for its answer. */
  async function call(round: string, variation?: Variation): Promise<SeenCall> {
    const seen = await send(round, variation);
    if (!variation) calls.push(seen);
    return seen;
  }

  /** Sends calls at once. Admitted ones come first in the list: any order of calls that overlap is possible. */
  async function callTogether(round: string, count: number): Promise<SeenCall[]> {
    const all = await Promise.all(Array.from({ length: Math.min(count, MAX_PARALLEL) }, () => send(round)));
    all.sort((one, other) => Number(other.allowed) - Number(one.allowed));
    calls.push(...all);
    return all;
  }

  /** Sends single calls until one is refused or `most` are admitted. Returns the number of admitted ones. */
  async function fill(round: string, most: number): Promise<number> {
    for (let admitted = 0; admitted < most; admitted += 1) {
      const { allowed, from } = await call(round);
      if (!allowed) return admitted;
      // Calls of one ms may be one to a limiter.
      await target.sleepUntil(from + 2.5);
    }
    return most;
  }

  /** Sends the calls of a plan. Returns the number of calls that its first fill admitted. */
  async function follow(round: string, plan: Plan): Promise<number> {
    const {
      windowMs,
      begin = target.now() + 1.2 * windowMs,
      fills,
      poll = { from: 0, every: 1, until: 0 },
    } = plan;
    const waitUntil = (part: number) => target.sleepUntil(begin + part * windowMs);
    const admitted: number[] = [];
    for (const [at, most] of fills) {
      await waitUntil(at);
      admitted.push(await fill(round, most));
    }
    for (let index = 1, at = poll.from; at < poll.until; index += 1) {
      await waitUntil(at);
      await call(round);
      // Not in step with any window.
      at = Math.max(at, (target.now() - begin) / windowMs) + poll.every * (0.7 + 0.6 * scatter(index));
    }
    return admitted[0] ?? 0;
  }

  const sleep = (ms: number) => target.sleepUntil(target.now() + ms);
  return { target, calls, call, callTogether, fill, follow, sleep };
}

/** Returns numbers in [0, 1) without a pattern, the same in each run. */
export function scatter(index: number): number {
  return (Math.abs(Math.sin(index + 1)) * 43_758.5453) % 1;
}

/** Thrown when a server cannot be examined. The message names the cause and the fix. */
export class ExamineError extends Error {}
