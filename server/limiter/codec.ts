import type { Decision, LevelState, Punished, Window } from './decision';
import type { EffectiveLevel, EffectivePolicy } from './overrides';

/** The script that decides, and the readable one that tests and the lab compare it with. */
export const decideScripts = {
  compact: {
    command: 'floodgateDecide',
    file: 'limiter/decide.lua',
    numberOfKeys: 'variable',
  },
  reference: {
    command: 'floodgateDecideReference',
    file: 'limiter/reference/decide.lua',
    numberOfKeys: 'variable',
  },
} as const;

/** How long a charged request id is remembered: 24 hours. */
const REQUEST_ID_TTL_MS = 24 * 60 * 60 * 1000;

/** How many hits a display is given. */
const MAX_PEEKED_HITS = 200;

/** What decide.lua is told of the levels that take part in a call, as its header has it. */
export type PolicyArgs = string;

/** The terms of calls that charge `cost` units; with a request id they have a key more. */
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

/** The terms of looks, which charge nothing and are told the hits. */
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

const HEAD_SIZE = 3;
const LEVEL_SIZE = 5;
const PUNISHMENT_SIZE = 2;

/** The levels of a reply, by those that were asked about, and where it goes on behind them. */
function decodeLevels<Context>(
  levels: readonly EffectiveLevel<Context>[],
  numbers: readonly number[],
): { read: ReplyLevel[]; next: number } {
  let levelAt = HEAD_SIZE;
  let next = levelAt + LEVEL_SIZE * levels.length;
  const read: ReplyLevel[] = [];
  for (const level of levels) {
    const counts = {
      used: numberAt(numbers, levelAt + 1),
      retryAfterMs: numberAt(numbers, levelAt + 2),
      resetMs: numberAt(numbers, levelAt + 3),
      violations: 0,
      bannedUntil: 0,
    };
    if (level.punishment) {
      counts.violations = numberAt(numbers, next);
      counts.bannedUntil = numberAt(numbers, next + 1);
      next += PUNISHMENT_SIZE;
    }
    read.push({
      state: toLevelState(level, counts),
      refuses: numbers[levelAt] === 1,
      delayMs: numberAt(numbers, levelAt + 4),
    });
    levelAt += LEVEL_SIZE;
  }
  return { read, next };
}

/** The decision that a reply of decide.lua stands for. Throws where reply and levels disagree. */
export function decodeDecision<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: string,
): Decision {
  const numbers = parseNumbers(reply);
  const { read } = decodeLevels(levels, numbers);
  const binding: LevelState[] = [];
  const shadowRefusals: string[] = [];
  let delayMs = 0;
  let refusedBy: LevelState | undefined;
  for (const [place, level] of read.entries()) {
    if (levels[place]?.mode === 'enforce') {
      binding.push(level.state);
      delayMs = Math.max(delayMs, level.delayMs);
      if (level.refuses) refusedBy ??= level.state;
    } else if (level.refuses) shadowRefusals.push(level.state.level);
  }
  const now = numberAt(numbers, 0);
  const isAdmitted = numbers[1] === 1;
  const replayed = numberAt(numbers, 2) > 0;
  const policy = name;
  if (isAdmitted)
    return {
      allowed: true,
      policy,
      now,
      levels: binding,
      shadowRefusals,
      degraded: false,
      replayed,
      ...(numbers[2] === 2 && { hasOtherInput: true }),
      delayMs,
    };
  if (!refusedBy) throw new TypeError(`decide.lua refused ${name} without naming a level`);
  return {
    allowed: false,
    policy,
    now,
    levels: binding,
    shadowRefusals,
    degraded: false,
    reason: refusedBy.punished?.bannedUntil ? 'banned' : 'limited',
    refusedBy,
  };
}

/** What a look saw: windows and punishments, level by level, and the instant of it. */
export interface PeekResult {
  now: number;
  windows: Window[];
  /** `undefined` where a level does not punish. */
  punished: (Punished | undefined)[];
}

/** What the reply to a look stands for. */
export function decodePeek<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: string,
): PeekResult {
  const numbers = parseNumbers(reply);
  const { read, next } = decodeLevels(levels, numbers);
  let hitsAt = next;
  const windows = read.map(({ state }, place) => {
    const { resetMs: _unshown, punished, ...shown } = state;
    const ban = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    const mode = levels[place]?.mode ?? 'enforce';
    const first = hitsAt + 1;
    hitsAt = first + numberAt(numbers, hitsAt);
    return { policy: name, ...shown, hits: numbers.slice(first, hitsAt), mode, ...ban };
  });
  return { now: numberAt(numbers, 0), windows, punished: read.map(({ state }) => state.punished) };
}

/** What is known of a level once its counts are. */
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
  return level.punishment ? { ...state, punished: punished(level.punishment.warnAt, counts) } : state;
}

function punished(
  warnAt: number,
  { violations = 0, bannedUntil = 0 }: { violations?: number; bannedUntil?: number },
): Punished {
  return { violations, warning: violations >= warnAt, bannedUntil: bannedUntil > 0 ? bannedUntil : null };
}

/** The whole numbers of a text that has single spaces between them. Throws where there is anything but digits. */
function parseNumbers(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
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

function numberAt(numbers: readonly number[], place: number): number {
  const number = numbers[place];
  if (number === undefined) throw new TypeError(`decide.lua replied ${numbers.length} numbers, too few`);
  return number;
}
