import type { SeenCall, Target, Variation } from './target';

/** The bounds of an examination. */
export const MAX_WINDOWS = 20;
export const MAX_PARALLEL = 50;

export interface SessionOptions {
  /** Statuses of a refusal. */
  refusedBy: readonly number[];
  maxCalls: number;
  /** Receives each call after its answer. */
  onCall?: (call: SeenCall) => void;
}

/** The calls of an examination, in their order. */
export interface Session {
  target: Target;
  calls: SeenCall[];
  /** Sends one call and waits for its answer. */
  call(round: string, variation?: Variation): Promise<SeenCall>;
  /** Sends calls at once. Admitted ones come first in the list: any order of calls that overlap is possible. */
  callTogether(round: string, count: number): Promise<SeenCall[]>;
  /** Sends single calls until one is refused or `most` are admitted. Returns the number of admitted ones. */
  fill(round: string, most: number): Promise<number>;
  /** Sends single calls about every `everyMs`, not in step with any window, until `until`. */
  poll(round: string, options: { everyMs: number; until: number }): Promise<void>;
  sleep(ms: number): Promise<void>;
}

/** Creates the session of one target. */
export function createSession(target: Target, { refusedBy, maxCalls, onCall }: SessionOptions): Session {
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

  const session: Session = {
    target,
    calls,
    sleep: (ms) => target.sleepUntil(target.now() + ms),
    async call(round, variation) {
      const call = await send(round, variation);
      if (!variation) calls.push(call);
      return call;
    },
    async callTogether(round, count) {
      const all = await Promise.all(Array.from({ length: Math.min(count, MAX_PARALLEL) }, () => send(round)));
      const ordered = [...all.filter(({ allowed }) => allowed), ...all.filter(({ allowed }) => !allowed)];
      calls.push(...ordered);
      return ordered;
    },
    async fill(round, most) {
      for (let admitted = 0; admitted < most; admitted += 1) {
        const { allowed, from } = await session.call(round);
        if (!allowed) return admitted;
        // Calls of one ms may be one to a limiter.
        await target.sleepUntil(from + 2.5);
      }
      return most;
    },
    async poll(round, { everyMs, until }) {
      for (let index = 1, next = target.now(); next < until; index += 1) {
        await target.sleepUntil(next);
        await session.call(round);
        next = Math.max(target.now(), next) + everyMs * (0.7 + 0.6 * scatter(index));
      }
    },
  };
  return session;
}

/** Returns numbers in [0, 1) without a pattern, the same in each run. */
export function scatter(index: number): number {
  return (Math.abs(Math.sin(index + 1)) * 43_758.5453) % 1;
}

/** Thrown when a server cannot be examined. The message names the cause and the fix. */
export class ExamineError extends Error {}
