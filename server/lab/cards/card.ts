import type { Policy } from '../../limiter/index';
import type { RedisClient } from '../../redis/client';
import type { Language } from '../../trpc/context';
import type { Outcome } from '../decided-call';
import type { Send } from '../naive-log';

export const cardGroups = ['atomicity', 'time', 'buckets', 'keys', 'punishment', 'failure'] as const;

/**
 * A common mistake next to the product: a faulty limiter, a load for both, and the text that explains the difference. A new
 * card is one file, its import and its entry in `cards.ts`, and its figures: 40 lines at most without them.
 */
export interface Card {
  group: (typeof cardGroups)[number];
  limit: number;
  windowMs: number;
  /** The load, ascending by time. */
  calls: readonly CardCall[];
  /**
   * True: each call begins after the end of the one before. Default: false. Then the commands of up to 100 calls interleave, as
   * those of concurrent requests: all first commands, then all second ones.
   */
  inOrder?: boolean;
  /** Decides a call as the faulty limiter does. */
  naive(call: NaiveCall, tools: NaiveTools): Promise<boolean | NaiveAnswer>;
  /** The product's levels. Default: one sliding log of all calls with the card's limit. */
  levels?: Policy<CardCall>['levels'];
  /** The product's levels by the target of a call, for a card with several policies. Each target has windows of its own. */
  levelsByTarget?: Readonly<Record<string, Policy<CardCall>['levels']>>;
  /** The units that an ended call keeps in the product; see `Policy.settle`. */
  settle?: Policy<CardCall>['settle'];
  /**
   * True: Redis does not respond during the run. The product decides by `onStoreError`: `closed`, and `local` as a third side.
   * Each target of the calls is a node.
   */
  isStoreDown?: boolean;
  /** Summarizes a side in one figure. Default: its fullest window, compared with the limit. */
  figure?: (side: Measured, product: Measured) => Figure;
  /** Returns the group of a call: its index in `CardText.groups`. Each group has a row in the picture. Default: no groups. */
  groupOf?: (call: CardCall) => number;
  text: Record<Language, CardText>;
}

export interface CardCall {
  /** Arrival time in ms on the experiment's clock. */
  at: number;
  /** The caller, for cards in which callers differ. The product's levels `user` and `ip` count by it. Default: all share them. */
  caller?: string;
  /** The method that is called, or the node that decides. */
  target?: string;
  /** Duration of an admitted call, in ms. Default: it does not end during the run. Then each call is decided after the one before. */
  runMs?: number;
  /** True: the procedure of the call fails. */
  hasFailed?: boolean;
}

export interface NaiveCall extends CardCall {
  /** `at` in epoch ms. */
  now: number;
  index: number;
}

/** The tools of a faulty limiter: one connection, and keys that are deleted after the run. */
export interface NaiveTools {
  client: RedisClient;
  key(name: string): string;
  /** Returns a key without the hash tag that the keys of an experiment share on a cluster. */
  scatteredKey(name: string): string;
  /** Waits for a reply and counts it as a round trip. */
  send: Send;
  /** Runs a Lua script and returns its reply as numbers. */
  script(lua: string, keys: readonly string[], args: readonly (string | number)[]): Promise<number[]>;
  /** Counts a call in a fixed window: INCR, with an expiry by the first call. */
  countCall(key: string, windowMs: number): Promise<number>;
  /** Lets a key expire on the experiment's clock, as EXPIRE does on that of Redis. */
  expire(key: string, ms: number): void;
}

export interface NaiveAnswer {
  allowed: boolean;
  remaining?: number;
  retryAfterMs?: number;
}

/** One side of a card after the run. */
export interface Measured extends Outcome {
  calls: readonly CardCall[];
  keyNames: readonly string[];
  /** Keys that exist after the run, and those of them that never expire. */
  keysLeft: number;
  keysForEver: number;
}

/** The main figure of one side: `value` of `of`. */
export interface Figure {
  /** `served`: the admitted calls of a kind, which is the last group of a card with groups. */
  counts: 'worstWindow' | 'admitted' | 'served' | 'running' | 'slots' | 'keysForEver';
  value: number;
  of: number;
  isOk: boolean;
}

export interface CardText {
  title: string;
  /** The faulty limiter in a few words. */
  naive: string;
  /** The line of the hand-out: the mistake and its remedy. `<card>` marks the words that link to the card. */
  tip: string;
  /** Three sentences: the cause, the effect, and what Floodgate does. */
  why: string;
  /** The name of the product's side. Default: Floodgate. */
  product?: string;
  /** The name of the third side, for a card that has one. */
  third?: string;
  /** The verdicts on a wrong and on a right figure. Default: over and within the limit. */
  verdicts?: { readonly wrong: string; readonly right: string };
  /** The names of the groups of `groupOf`, with two at least. */
  groups?: string[];
  /** The claim of a tutorial, and the result of the run as `{side.number}`; see `fillFact`. Example: `{naive.admitted}`. */
  fact: string;
}

/** Returns the figure of admitted calls, which is right if it reaches its goal. */
export function atLeast(admitted: number, of: number): Figure {
  return { counts: 'admitted', value: admitted, of, isOk: admitted >= of };
}

/** Returns a figure that is right if it keeps its maximum. */
export function atMost(value: number, { of, counts }: Pick<Figure, 'of' | 'counts'>): Figure {
  return { counts, value, of, isOk: value <= of };
}

/** Creates the figure of a side: its admitted calls of a kind, which are right if they reach the number. */
export function servedAtLeast(
  isCounted: (call: CardCall) => boolean,
  of: number,
): (side: Measured) => Figure {
  return function countServed({ decisions, calls }) {
    const served = calls.filter((call, index) => decisions[index]?.allowed && isCounted(call)).length;
    return { ...atLeast(served, of), counts: 'served' };
  };
}

/** Returns the greatest number of admitted calls that run at one time. */
export function countRunning({ decisions, calls }: Measured): number {
  const admitted = calls.filter((_call, index) => decisions[index]?.allowed);
  const runningAt = (instant: number) =>
    admitted.filter(({ at, runMs = 0 }) => at <= instant && instant < at + runMs).length;
  return Math.max(0, ...admitted.map(({ at }) => runningAt(at)));
}
