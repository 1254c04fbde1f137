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

/** The reply of decide.lua, checked. */
interface Reply {
  now: number;
  admitted: boolean;
  replayed: boolean;
  levels: ReplyLevel[];
}

interface ReplyLevel {
  refuses: boolean;
  used: number;
  retryAfterMs: number;
  resetMs: number;
  delayMs: number;
  violations: number;
  bannedUntil: number;
  hits: number[];
}

const HEAD_SIZE = 3;
const LEVEL_SIZE = 5;
const PUNISHMENT_SIZE = 2;

/** Reads a reply by the levels that were asked about; the only place that knows its order. Throws where they disagree. */
function readReply<Context>(reply: unknown, levels: readonly EffectiveLevel<Context>[]): Reply {
  if (!Array.isArray(reply)) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  const whole = (place: number): number => wholeNumber(reply[place]);
  const punishmentsAt = HEAD_SIZE + LEVEL_SIZE * levels.length;
  const punishing = levels.filter(({ punishment }) => punishment);
  const hitsAt = punishmentsAt + PUNISHMENT_SIZE * punishing.length;
  return {
    now: whole(0),
    admitted: whole(1) === 1,
    replayed: whole(2) === 1,
    levels: levels.map((level, place) => {
      const at = HEAD_SIZE + LEVEL_SIZE * place;
      const punishmentAt = punishmentsAt + PUNISHMENT_SIZE * punishing.indexOf(level);
      const hits: unknown = reply[hitsAt + place];
      return {
        refuses: whole(at) === 1,
        used: whole(at + 1),
        retryAfterMs: whole(at + 2),
        resetMs: whole(at + 3),
        delayMs: whole(at + 4),
        violations: level.punishment ? whole(punishmentAt) : 0,
        bannedUntil: level.punishment ? whole(punishmentAt + 1) : 0,
        hits: Array.isArray(hits) ? hits.map(wholeNumber) : [],
      };
    }),
  };
}

/** The decision that a reply of decide.lua stands for. */
export function toDecision<Context>(
  { name }: EffectivePolicy<Context>,
  levels: readonly EffectiveLevel<Context>[],
  reply: unknown,
): Decision {
  const { now, admitted, replayed, levels: found } = readReply(reply, levels);
  const states = levels.map((level, place) => levelState(level, replyOf(found, place)));
  const binds = (place: number) => levels[place]?.mode === 'enforce';
  const refusing = found.map(({ refuses }) => refuses);
  const base = {
    policy: name,
    now,
    levels: states.filter((_state, place) => binds(place)),
    shadowRefusals: states.flatMap(({ level }, place) => (refusing[place] && !binds(place) ? [level] : [])),
    degraded: false,
  };
  if (admitted) {
    const delays = found.map(({ delayMs }, place) => (binds(place) ? delayMs : 0));
    return { ...base, allowed: true, replayed, delayMs: Math.max(0, ...delays) };
  }
  const refusedBy = states.find((_state, place) => refusing[place] && binds(place));
  if (!refusedBy) throw new TypeError(`decide.lua refused ${name} without naming a level`);
  const reason = refusedBy.punished?.bannedUntil ? 'banned' : 'limited';
  return { ...base, allowed: false, reason, refusedBy };
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
  const { now, levels: found } = readReply(reply, levels);
  const states = levels.map((level, place) => levelState(level, replyOf(found, place)));
  const windows = levels.map((level, place) => {
    const { resetMs: _unshown, punished, ...state } = levelState(level, replyOf(found, place));
    const ban = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    return { policy: name, ...state, hits: replyOf(found, place).hits, mode: level.mode, ...ban };
  });
  return { now, windows, punished: states.map(({ punished }) => punished) };
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

function replyOf(levels: readonly ReplyLevel[], place: number): ReplyLevel {
  const level = levels[place];
  if (!level) throw new TypeError('decide.lua left out a level');
  return level;
}

function wholeNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(value)} where a whole number belongs`);
  }
  return value;
}
