import type { Admitted, Decision, LevelState, Punished, Window } from './decision';
import type { EffectiveLevel, EffectivePolicy } from './overrides';
import type { Punishment, ResolvedLevel } from './policy';

/** The script that decides and peeks. */
export const decideScript = {
  command: 'floodgateDecide',
  file: 'limiter/decide.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

/** Lifetime of a charged request id. */
export const REQUEST_ID_TTL_MS = 24 * 60 * 60 * 1000;

/** A peek returns at most this many hits per level, the newest. */
const MAX_PEEKED_HITS = 200;

/** The arguments that calls of a batch share, as text; see the header of decide.lua. */
export type PolicyArgs = string;

/**
 * Encodes the policy arguments of calls that charge `cost` units each; `*` if each call has its own cost. Calls with
 * `reserveMs` can be settled for that time.
 */
export function encodeDecideArgs(
  cost: number | '*',
  levels: readonly EffectiveLevel[],
  { hasRequestId = false, reserveMs }: { hasRequestId?: boolean; reserveMs?: number | undefined },
): PolicyArgs {
  const record = reserveMs === undefined ? Number(hasRequestId) * REQUEST_ID_TTL_MS : `reserve=${reserveMs}`;
  return [cost, 0, record, ...levels.map(encodeLevel)].join(' ');
}

/** Encodes the policy arguments of peeks, which charge nothing and return the hits. */
export function encodePeekArgs(levels: readonly EffectiveLevel[]): PolicyArgs {
  return [0, MAX_PEEKED_HITS, 0, ...levels.map((level) => encodeLevel({ ...level, queue: undefined }))].join(
    ' ',
  );
}

/** Encodes the policy arguments of commands on a former call. */
export function encodeLaterArgs(
  kind: 'release' | 'renew' | 'settle',
  levels: readonly EffectiveLevel[],
): PolicyArgs {
  return [kind, 0, 0, ...levels.map(encodeLevel)].join(' ');
}

/** Decodes the reply to a command on a former call: true if its lease or reservation was held. */
export function decodeHeld(reply: string): boolean {
  if (reply !== '0' && reply !== '1') throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  return reply === '1';
}

/** The fields of a level that decide.lua reads. */
export type EncodedLevel = Pick<
  ResolvedLevel,
  'algorithm' | 'limit' | 'windowMs' | 'subWindows' | 'mode' | 'queue'
> & {
  punishment: Omit<Required<Punishment>, 'warnAt'> | undefined;
  isPersonal?: boolean;
};

/** Encodes one level for the policy arguments. */
export function encodeLevel({ punishment, isPersonal, queue, ...level }: EncodedLevel): string {
  const { banAt, banMs, lapseMs } = punishment ?? { banAt: 0, banMs: 0, lapseMs: 0 };
  const algorithm = queue ? 'queued-log' : level.algorithm;
  const numbers = isPersonal ? '* *' : `${level.limit} ${level.windowMs}`;
  return [algorithm, numbers, level.subWindows, level.mode, banAt, banMs, lapseMs].join(' ');
}

/** Encodes the personal numbers of levels, which a call sends in one argument; '' if there are none. */
export function encodePersonalNumbers(levels: readonly EncodedLevel[]): string {
  return levels.flatMap(({ isPersonal, limit, windowMs }) => (isPersonal ? [limit, windowMs] : [])).join(' ');
}

/** One level in a reply of decide.lua. */
interface ReplyLevel {
  state: LevelState;
  /** Of a shadow level. An enforced level refuses a refused call if it has a wait. */
  refuses: boolean;
  delayMs: number;
}

const SPACE = 0x20;
const ZERO = 0x30;

/** The outcomes of a call in a reply. */
const REFUSED = 0;
const REPLAYED = 2;
const HAS_OTHER_INPUT = 3;

/** Reads a reply: whole numbers separated by single spaces. */
class ReplyReader {
  readonly #reply: string;
  #position = 0;

  constructor(reply: string) {
    this.#reply = reply;
  }

  /** Returns the next number. Throws if there is none. */
  next(): number {
    const reply = this.#reply;
    const start = this.#position;
    let number = 0;
    for (; this.#position < reply.length; this.#position += 1) {
      const code = reply.charCodeAt(this.#position);
      if (code === SPACE) break;
      const digit = code - ZERO;
      if (digit < 0 || digit > 9) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
      number = number * 10 + digit;
    }
    if (this.#position === start) throw new TypeError(`decide.lua replied too few numbers: ${reply}`);
    this.#position += 1;
    return number;
  }

  /** Throws if there are more numbers. */
  end(): void {
    if (this.#position <= this.#reply.length)
      throw new TypeError(`decide.lua replied too many numbers: ${this.#reply}`);
  }
}

function readLevel(level: EffectiveLevel, reader: ReplyReader): ReplyLevel {
  const counts = {
    used: reader.next(),
    retryAfterMs: reader.next(),
    resetMs: reader.next(),
    violations: 0,
    bannedUntil: 0,
  };
  const isEnforced = level.mode === 'enforce';
  const delayMs = isEnforced && level.algorithm === 'leaky-bucket' ? reader.next() : 0;
  const refuses = isEnforced ? counts.retryAfterMs > 0 : reader.next() === 1;
  if (level.punishment) {
    counts.violations = reader.next();
    counts.bannedUntil = reader.next();
  }
  return { state: toLevelState(level, counts), refuses, delayMs };
}

/** Splits the reply to a batch into those to its calls. */
export function splitReply(reply: unknown): string[] {
  if (typeof reply !== 'string') throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  return reply.split('\n');
}

/** Decodes a decision. Throws if the reply does not fit the levels. */
export function decodeDecision(
  { name }: EffectivePolicy,
  levels: readonly EffectiveLevel[],
  reply: string,
): Decision {
  const reader = new ReplyReader(reply);
  const now = reader.next();
  const outcome = reader.next();
  const enforced: LevelState[] = [];
  const shadowRefusals: string[] = [];
  let delayMs = 0;
  let refusedBy: LevelState | undefined;
  for (const level of levels) {
    const read = readLevel(level, reader);
    if (level.mode === 'enforce') {
      enforced.push(read.state);
      delayMs = Math.max(delayMs, read.delayMs);
      if (read.refuses) refusedBy ??= read.state;
    } else if (read.refuses) shadowRefusals.push(read.state.level);
  }
  reader.end();
  // No spread of the common fields: on Node 20, one with an instant takes microseconds, a literal 0.1 µs.
  const degraded = false;
  if (outcome !== REFUSED) {
    const replayed = outcome >= REPLAYED;
    const admitted: Admitted = {
      policy: name,
      now,
      allowed: true,
      levels: enforced,
      shadowRefusals,
      degraded,
      replayed,
      delayMs,
    };
    return outcome === HAS_OTHER_INPUT ? { ...admitted, hasOtherInput: true } : admitted;
  }
  if (!refusedBy) throw new TypeError(`decide.lua refused ${name} without naming a level`);
  const reason = refusedBy.punished?.bannedUntil ? 'banned' : 'limited';
  return { policy: name, now, allowed: false, reason, refusedBy, levels: enforced, shadowRefusals, degraded };
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
export function decodePeek(
  { name }: EffectivePolicy,
  levels: readonly EffectiveLevel[],
  reply: string,
): PeekResult {
  const reader = new ReplyReader(reply);
  const now = reader.next();
  reader.next();
  const states = levels.map((level) => readLevel(level, reader).state);
  const windows = states.map(({ resetMs: _omitted, punished, ...shown }, index) => ({
    ...{ policy: name, ...shown },
    hits: Array.from({ length: reader.next() }, () => reader.next()),
    mode: levels[index]?.mode ?? 'enforce',
    ...(punished?.bannedUntil && { bannedUntil: punished.bannedUntil }),
  }));
  return { now, windows, punished: states.map(({ punished }) => punished) };
}

/** Returns the state of a level from its counts. */
export function toLevelState(
  level: EffectiveLevel,
  counts: { used: number; retryAfterMs: number; resetMs: number; violations?: number; bannedUntil?: number },
): LevelState {
  const { level: name, algorithm, limit, windowMs, punishment } = level;
  const { used, retryAfterMs, resetMs, bannedUntil } = counts;
  const remaining = bannedUntil ? 0 : Math.max(0, limit - used);
  const state = { level: name, algorithm, limit, windowMs, used, remaining, retryAfterMs, resetMs };
  return punishment ? { ...state, punished: toPunished(punishment.warnAt, counts) } : state;
}

function toPunished(
  warnAt: number,
  { violations = 0, bannedUntil = 0 }: { violations?: number; bannedUntil?: number },
): Punished {
  return { violations, warning: violations >= warnAt, bannedUntil: bannedUntil > 0 ? bannedUntil : null };
}
