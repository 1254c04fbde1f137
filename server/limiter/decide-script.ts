import type { Decision, LevelState, Punished, Window } from './decision';
import type { EffectiveLevel, EffectivePolicy } from './overrides';

/** How long a charged request id is remembered: 24 hours. */
const REQUEST_TTL_MS = 24 * 60 * 60 * 1000;

/** How many hits a display is given. */
const SHOWN_HITS = 200;

/** What decide.lua is told of the levels that take part in a call. Calls of the same terms tell it once. */
export interface Terms {
  /** As the script's header has them, without the clock. */
  args: readonly (string | number)[];
  /** How many values it replies to one call. */
  replySize: number;
}

/** The terms of calls that charge `cost` units; with a request id they have a key more. */
export function callTerms<Context>(
  cost: number,
  levels: readonly EffectiveLevel<Context>[],
  { hasRequestId }: { hasRequestId: boolean },
): Terms {
  return {
    args: [cost, 0, hasRequestId ? REQUEST_TTL_MS : '', levels.length, ...levels.flatMap(levelArgs)],
    replySize: sizeOf(levels),
  };
}

/** The terms of looks, which charge nothing and are told the hits. */
export function lookTerms<Context>(levels: readonly EffectiveLevel<Context>[]): Terms {
  return {
    args: [0, SHOWN_HITS, '', levels.length, ...levels.flatMap(levelArgs)],
    replySize: sizeOf(levels) + levels.length,
  };
}

function levelArgs<Context>(level: EffectiveLevel<Context>): (string | number)[] {
  const { algorithm, limit, windowMs, subWindows, mode, punishment } = level;
  const more = {
    ...(algorithm === 'sliding-counter' && { sub_windows: subWindows }),
    ...(mode === 'shadow' && { shadow: true }),
    ...(punishment && {
      punishment: { ban_at: punishment.banAt, ban_ms: punishment.banMs, lapse_ms: punishment.lapseMs },
    }),
  };
  return [algorithm, limit, windowMs, Object.keys(more).length > 0 ? JSON.stringify(more) : ''];
}

const HEAD_SIZE = 3;
const LEVEL_SIZE = 5;
const PUNISHMENT_SIZE = 2;

function sizeOf<Context>(levels: readonly EffectiveLevel<Context>[]): number {
  const punishing = levels.filter(({ punishment }) => punishment).length;
  return HEAD_SIZE + LEVEL_SIZE * levels.length + PUNISHMENT_SIZE * punishing;
}

/** One level in a reply of decide.lua. */
interface ReplyLevel {
  state: LevelState;
  refuses: boolean;
  delayMs: number;
}

/** The levels of the reply that begins at `at`, by those that were asked about, and where it goes on behind them. */
function readLevels<Context>(
  levels: readonly EffectiveLevel<Context>[],
  replies: readonly unknown[],
  at: number,
): { read: ReplyLevel[]; next: number } {
  let levelAt = at + HEAD_SIZE;
  let next = levelAt + LEVEL_SIZE * levels.length;
  const read: ReplyLevel[] = [];
  for (const level of levels) {
    const counts = {
      used: whole(replies, levelAt + 1),
      retryAfterMs: whole(replies, levelAt + 2),
      resetMs: whole(replies, levelAt + 3),
      violations: 0,
      bannedUntil: 0,
    };
    if (level.punishment) {
      counts.violations = whole(replies, next);
      counts.bannedUntil = whole(replies, next + 1);
      next += PUNISHMENT_SIZE;
    }
    read.push({
      state: levelState(level, counts),
      refuses: whole(replies, levelAt) === 1,
      delayMs: whole(replies, levelAt + 4),
    });
    levelAt += LEVEL_SIZE;
  }
  return { read, next };
}

/** The decision that the reply of decide.lua at that place stands for. Throws where reply and levels disagree. */
export function toDecision<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  replies: readonly unknown[],
  at: number,
): Decision {
  const { read } = readLevels(levels, replies, at);
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
  const now = whole(replies, at);
  const [isAdmitted, replayed] = [whole(replies, at + 1) === 1, whole(replies, at + 2) === 1];
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
export interface Looked {
  now: number;
  windows: Window[];
  /** `undefined` where a level does not punish. */
  punished: (Punished | undefined)[];
}

/** What the reply to a look at that place stands for. */
export function toWindows<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  replies: readonly unknown[],
  at: number,
): Looked {
  const { read, next } = readLevels(levels, replies, at);
  const windows = read.map(({ state }, place) => {
    const { resetMs: _unshown, punished, ...shown } = state;
    const ban = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    const mode = levels[place]?.mode ?? 'enforce';
    return { policy: name, ...shown, hits: hitsOf(replies[next + place]), mode, ...ban };
  });
  return { now: whole(replies, at), windows, punished: read.map(({ state }) => state.punished) };
}

function hitsOf(hits: unknown): number[] {
  if (!Array.isArray(hits))
    throw new TypeError(`decide.lua replied ${JSON.stringify(hits)} where hits belong`);
  return hits.map((_hit, rank) => whole(hits, rank));
}

/** What is known of a level once its counts are. */
export function levelState<Context>(
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

function whole(replies: readonly unknown[], place: number): number {
  const value = replies[place];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(value)} where a whole number belongs`);
  }
  return value;
}
