import type { Decision, LevelState, Punished, Window } from './decision';
import type { EffectiveLevel, EffectivePolicy } from './overrides';

/** How long a charged request id is remembered: 24 hours. */
const REQUEST_TTL_MS = 24 * 60 * 60 * 1000;

/** How many hits a display is given. */
const SHOWN_HITS = 200;

/** The first argument of decide.lua: a policy, as far as it takes part in a call. */
export function callRecord<Context>(cost: number, levels: readonly EffectiveLevel<Context>[]): string {
  return JSON.stringify({ cost, hits: 0, request_ttl_ms: REQUEST_TTL_MS, levels: levels.map(levelRecord) });
}

/** The first argument of decide.lua for a look that charges nothing. */
export function lookRecord<Context>(levels: readonly EffectiveLevel<Context>[]): string {
  return JSON.stringify({ cost: 0, hits: SHOWN_HITS, levels: levels.map(levelRecord) });
}

function levelRecord<Context>(level: EffectiveLevel<Context>): Record<string, unknown> {
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

const HEAD_SIZE = 3;
const LEVEL_SIZE = 5;
const PUNISHMENT_SIZE = 2;

/** A reply of decide.lua, read by the levels that were asked about: the only place that knows its order. */
interface Reply {
  now: number;
  admitted: boolean;
  replayed: boolean;
  levels: ReplyLevel[];
}

interface ReplyLevel {
  state: LevelState;
  refuses: boolean;
  delayMs: number;
  hits: readonly number[];
}

/** Throws where reply and levels disagree. */
function readReply<Context>(reply: unknown, levels: readonly EffectiveLevel<Context>[]): Reply {
  if (!Array.isArray(reply)) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  let at = HEAD_SIZE;
  let punishmentAt = HEAD_SIZE + LEVEL_SIZE * levels.length;
  const read = levels.map((level) => {
    const counts = {
      used: whole(reply, at + 1),
      retryAfterMs: whole(reply, at + 2),
      resetMs: whole(reply, at + 3),
      violations: 0,
      bannedUntil: 0,
    };
    const [refuses, delayMs] = [whole(reply, at) === 1, whole(reply, at + 4)];
    at += LEVEL_SIZE;
    if (level.punishment) {
      counts.violations = whole(reply, punishmentAt);
      counts.bannedUntil = whole(reply, punishmentAt + 1);
      punishmentAt += PUNISHMENT_SIZE;
    }
    return { state: levelState(level, counts), refuses, delayMs, hits: [] as readonly number[] };
  });
  // Hits follow only where they were asked for.
  for (const [place, level] of read.entries()) {
    const hits: unknown = reply[punishmentAt + place];
    if (Array.isArray(hits)) level.hits = hits.map((_hit, rank) => whole(hits, rank));
  }
  return {
    now: whole(reply, 0),
    admitted: whole(reply, 1) === 1,
    replayed: whole(reply, 2) === 1,
    levels: read,
  };
}

/** The decision that a reply of decide.lua stands for. */
export function toDecision<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: unknown,
): Decision {
  const { now, admitted, replayed, levels: read } = readReply(reply, levels);
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
  const base = { policy: name, now, levels: binding, shadowRefusals, degraded: false };
  if (admitted) return { ...base, allowed: true, replayed, delayMs };
  if (!refusedBy) throw new TypeError(`decide.lua refused ${name} without naming a level`);
  return {
    ...base,
    allowed: false,
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

/** What a reply to a look stands for. */
export function toWindows<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: unknown,
): Looked {
  const { now, levels: read } = readReply(reply, levels);
  const windows = levels.map(({ mode }, place) => {
    const { state, hits } = read[place] ?? noLevel();
    const { resetMs: _unshown, punished, ...shown } = state;
    const ban = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    return { policy: name, ...shown, hits: [...hits], mode, ...ban };
  });
  return { now, windows, punished: read.map(({ state }) => state.punished) };
}

/** What is known of a level once its counts are. */
export function levelState<Context>(
  level: EffectiveLevel<Context>,
  counts: { used: number; retryAfterMs: number; resetMs: number; violations?: number; bannedUntil?: number },
): LevelState {
  return {
    level: level.level,
    algorithm: level.algorithm,
    limit: level.limit,
    windowMs: level.windowMs,
    used: counts.used,
    remaining: counts.bannedUntil ? 0 : Math.max(0, level.limit - counts.used),
    retryAfterMs: counts.retryAfterMs,
    resetMs: counts.resetMs,
    ...(level.punishment && { punished: punished(level.punishment.warnAt, counts) }),
  };
}

function punished(
  warnAt: number,
  { violations = 0, bannedUntil = 0 }: { violations?: number; bannedUntil?: number },
): Punished {
  return { violations, warning: violations >= warnAt, bannedUntil: bannedUntil > 0 ? bannedUntil : null };
}

function noLevel(): never {
  throw new TypeError('decide.lua left out a level');
}

function whole(reply: readonly unknown[], place: number): number {
  const value = reply[place];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(value)} where a whole number belongs`);
  }
  return value;
}
