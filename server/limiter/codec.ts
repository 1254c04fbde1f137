import type { Decision, LevelState, Punished, Window } from './decision';
import type { EffectiveLevel, EffectivePolicy } from './overrides';

/** The script that decides and peeks. */
export const decideScript = {
  command: 'floodgateDecide',
  file: 'limiter/decide.lua',
  numberOfKeys: 'variable',
} as const;

/** Lifetime of a charged request id. */
const REQUEST_ID_TTL_MS = 24 * 60 * 60 * 1000;

/** A peek returns at most this many hits per level, the newest. */
const MAX_PEEKED_HITS = 200;

/** The arguments that calls of a batch share, as JSON; see the header of decide.lua. */
export type PolicyArgs = string;

/** Encodes the policy arguments of calls that charge `cost` units. */
export function encodeDecideArgs<Context>(
  cost: number,
  levels: readonly EffectiveLevel<Context>[],
  { hasRequestId }: { hasRequestId: boolean },
): PolicyArgs {
  return JSON.stringify({
    cost,
    hits: 0,
    ...(hasRequestId && { request_ttl_ms: REQUEST_ID_TTL_MS }),
    levels: levels.map(toLevelArgs),
  });
}

/** Encodes the policy arguments of peeks, which charge nothing and return the hits. */
export function encodePeekArgs<Context>(levels: readonly EffectiveLevel<Context>[]): PolicyArgs {
  return JSON.stringify({ cost: 0, hits: MAX_PEEKED_HITS, levels: levels.map(toLevelArgs) });
}

function toLevelArgs<Context>(level: EffectiveLevel<Context>) {
  const { algorithm, limit, windowMs, subWindows, mode, punishment } = level;
  return {
    algorithm,
    limit,
    window_ms: windowMs,
    ...(algorithm === 'sliding-counter' && { sub_windows: subWindows }),
    ...(mode === 'shadow' && { shadow: true }),
    ...(punishment && {
      punishment: { ban_at: punishment.banAt, ban_ms: punishment.banMs, lapse_ms: punishment.lapseMs },
    }),
  };
}

/** One level in a reply of decide.lua. */
interface ReplyLevel {
  state: LevelState;
  refuses: boolean;
  delayMs: number;
}

const SPACE = 0x20;
const ZERO = 0x30;

const HEADER_SIZE = 3;
const LEVEL_SIZE = 5;
const PUNISHMENT_SIZE = 2;

/** Decodes the levels of a reply; `next` is the index of the first number after them. */
function decodeLevels<Context>(
  levels: readonly EffectiveLevel<Context>[],
  numbers: readonly number[],
): { replyLevels: ReplyLevel[]; next: number } {
  let levelIndex = HEADER_SIZE;
  let next = levelIndex + LEVEL_SIZE * levels.length;
  const replyLevels: ReplyLevel[] = [];
  for (const level of levels) {
    const counts = {
      used: numberAt(numbers, levelIndex + 1),
      retryAfterMs: numberAt(numbers, levelIndex + 2),
      resetMs: numberAt(numbers, levelIndex + 3),
      violations: 0,
      bannedUntil: 0,
    };
    if (level.punishment) {
      counts.violations = numberAt(numbers, next);
      counts.bannedUntil = numberAt(numbers, next + 1);
      next += PUNISHMENT_SIZE;
    }
    replyLevels.push({
      state: toLevelState(level, counts),
      refuses: numbers[levelIndex] === 1,
      delayMs: numberAt(numbers, levelIndex + 4),
    });
    levelIndex += LEVEL_SIZE;
  }
  return { replyLevels, next };
}

/** Decodes a decision. Throws if the reply does not fit the levels. */
export function decodeDecision<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: string,
): Decision {
  const numbers = parseNumbers(reply);
  const { replyLevels } = decodeLevels(levels, numbers);
  const enforced: LevelState[] = [];
  const shadowRefusals: string[] = [];
  let delayMs = 0;
  let refusedBy: LevelState | undefined;
  for (const [index, level] of replyLevels.entries()) {
    if (levels[index]?.mode === 'enforce') {
      enforced.push(level.state);
      delayMs = Math.max(delayMs, level.delayMs);
      if (level.refuses) refusedBy ??= level.state;
    } else if (level.refuses) shadowRefusals.push(level.state.level);
  }
  const now = numberAt(numbers, 0);
  const isAdmitted = numbers[1] === 1;
  const replayed = numberAt(numbers, 2) > 0;
  if (isAdmitted)
    return {
      allowed: true,
      policy: name,
      now,
      levels: enforced,
      shadowRefusals,
      degraded: false,
      replayed,
      ...(numbers[2] === 2 && { hasOtherInput: true }),
      delayMs,
    };
  if (!refusedBy) throw new TypeError(`decide.lua refused ${name} without naming a level`);
  return {
    allowed: false,
    policy: name,
    now,
    levels: enforced,
    shadowRefusals,
    degraded: false,
    reason: refusedBy.punished?.bannedUntil ? 'banned' : 'limited',
    refusedBy,
  };
}

/** The windows and punishments of the peeked levels, in their order. */
export interface PeekResult {
  /** Epoch ms of the peek, by the store's clock. */
  now: number;
  windows: Window[];
  /** `undefined` for a level that does not punish. */
  punished: (Punished | undefined)[];
}

/** Decodes the reply to a peek. */
export function decodePeek<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: string,
): PeekResult {
  const numbers = parseNumbers(reply);
  const { replyLevels, next } = decodeLevels(levels, numbers);
  let hitsIndex = next;
  const windows = replyLevels.map(({ state }, index) => {
    const { resetMs: _omitted, punished, ...shown } = state;
    const ban = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    const mode = levels[index]?.mode ?? 'enforce';
    const first = hitsIndex + 1;
    hitsIndex = first + numberAt(numbers, hitsIndex);
    return { policy: name, ...shown, hits: numbers.slice(first, hitsIndex), mode, ...ban };
  });
  return { now: numberAt(numbers, 0), windows, punished: replyLevels.map(({ state }) => state.punished) };
}

/** Returns the state of a level from its counts. */
export function toLevelState<Context>(
  level: EffectiveLevel<Context>,
  counts: { used: number; retryAfterMs: number; resetMs: number; violations?: number; bannedUntil?: number },
): LevelState {
  const state = {
    level: level.level,
    algorithm: level.algorithm,
    limit: level.limit,
    windowMs: level.windowMs,
    used: counts.used,
    remaining: counts.bannedUntil ? 0 : Math.max(0, level.limit - counts.used),
    retryAfterMs: counts.retryAfterMs,
    resetMs: counts.resetMs,
  };
  return level.punishment ? { ...state, punished: toPunished(level.punishment.warnAt, counts) } : state;
}

function toPunished(
  warnAt: number,
  { violations = 0, bannedUntil = 0 }: { violations?: number; bannedUntil?: number },
): Punished {
  return { violations, warning: violations >= warnAt, bannedUntil: bannedUntil > 0 ? bannedUntil : null };
}

/** Parses whole numbers separated by single spaces. Throws on any other character. */
function parseNumbers(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === SPACE) {
      numbers.push(number);
      number = 0;
    } else {
      const digit = code - ZERO;
      if (digit < 0 || digit > 9) throw new TypeError(`decide.lua replied ${JSON.stringify(text)}`);
      number = number * 10 + digit;
    }
  }
  numbers.push(number);
  return numbers;
}

function numberAt(numbers: readonly number[], index: number): number {
  const number = numbers[index];
  if (number === undefined) throw new TypeError(`decide.lua replied ${numbers.length} numbers, too few`);
  return number;
}
