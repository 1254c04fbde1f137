import type { EffectiveLevel, EffectivePolicy } from '../policy/overrides';
import type { Punishment, ResolvedLevel } from '../policy/policy';
import {
  type Admitted,
  type LevelState,
  type Punished,
  type StoreDecision,
  toLevelState,
  type Window,
} from './decision';
import { ReplyReader } from './reply-reader';

/*
 * The protocol of decide.lua, in both directions. The header of lua/limiter/decide.lua lists the keys.
 *
 * The arguments are groups of consecutive commands with the same policy arguments and clock. Each line that follows is one
 * argument of the script, its words separated by single spaces. `[…]` may be absent, `*` repeats, other marks are in quotes.
 *
 *   group   = policy
 *             count [clock]      commands in the group; clock in epoch ms, in tests and the lab only, else that of the store
 *             command*
 *   policy  = charge hits record level*    the levels in checking order
 *   command = member*            of each level that punishes: its member in the zset of bans, to which `#violations` is added
 *             [input]            with a request id: the fingerprint of its input, a whole number from 1
 *             [lease_id]         if a level is in-flight, and charge is neither 0 nor "settle": 12 characters
 *             [own]              if the policy has a "*", or charge is "settle"
 *
 *   charge  = cost | "*"         in units: 0 peeks without charging; "*" if each call has its own cost
 *           | "settle"           commands on a former call: settles its reservation,
 *           | "release" | "renew"   or, with in-flight levels only, changes its leases
 *   hits                         the number of each log's newest hits to reply with
 *   record  = "0"
 *           | request_ttl_ms     the lifetime of the request ids of the calls
 *           | "reserve=" lease_ms   the lease of the reservations of the calls
 *   level   = algorithm numbers sub_windows mode ban_at ban_ms lapse_ms
 *             algorithm          that of the policy, or queued-log: a sliding-log with a queue
 *             sub_windows        used by a sliding-counter only
 *             mode               enforce, or another: the level decides but is not enforced; then "+" if it is shared
 *             ban_at ban_ms lapse_ms   all 0 without a punishment
 *   numbers = limit window_ms    of in-flight: the calls at the same time, and their lease
 *           | "*" "*"            each call has its own
 *   own     = [cost | kept] (limit window_ms)*    the cost if charge is "*", or the units that a settled call keeps, which
 *                                may be more than its cost; then the numbers of each level with "*"
 *
 * The reply is an error if nothing can be written, else one text with a line per command:
 *
 *   line    = "-" error          this command failed, and no other
 *           | "1" | "0"          of settle, release and renew: its reservation or lease was held, or no longer; of settle also
 *                                "0" if the generations of all charged levels have ended
 *           | now outcome state* hits*
 *   now                          epoch ms of the decision
 *   outcome = "0"                refused
 *           | "1"                admitted
 *           | "2" | "3"          admitted without a charge: its request id was charged before, 3 with another input
 *   state   = used retry_after_ms reset_ms [delay_ms] [refuses] [settles] [violations banned_until]    per level
 *             used               includes this call if it was charged
 *             retry_after_ms     0 if the level admits a unit now; above 0 for each level that refuses the call
 *             reset_ms           the time until the oldest unit returns, 0 if no unit is used
 *             delay_ms           only of an enforced leaky-bucket: the time until the start of the admitted call
 *             refuses            only of a level that is not enforced: 1 if it would refuse this call
 *             settles            only of a shared level: 1 if the call does not reserve, and a settling may end its wait
 *             violations banned_until   only of a level that punishes; epoch ms, 0 without a ban
 *   hits    = count instant*     per level, if hits is above 0; oldest first
 */

/** The script that decides and peeks. */
export const decideScript = {
  command: 'floodgateDecide',
  file: 'limiter/decide.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

/** Lifetime of a charged request id. */
export const REQUEST_ID_TTL_MS = 24 * 60 * 60 * 1000;

/** The arguments that calls of a batch share: `policy` in the grammar. */
export type PolicyArgs = string;

/** One command of decide.lua or queue-join.lua. */
export interface EncodedCommand {
  /** The arguments that neighbours in a batch may share. */
  policyArgs: PolicyArgs;
  keys: readonly string[];
  /** The arguments of this command alone: `command` in the grammar. */
  args: readonly (string | number)[];
}

/** The words before the levels in policy arguments; see the grammar. `hits` and `record` are 0 by default. */
interface PolicyWords {
  charge: number | '*' | 'settle' | 'release' | 'renew';
  hits?: number;
  record?: number | `reserve=${number}` | undefined;
}

/** Encodes policy arguments: `policy` in the grammar. */
export function encodePolicyArgs(
  levels: readonly EffectiveLevel[],
  { charge, hits = 0, record = 0 }: PolicyWords,
): PolicyArgs {
  return [charge, hits, record, ...levels.map(encodeLevel)].join(' ');
}

/** Encodes the keys and arguments of a script call. Neighbours with the same policy arguments and clock are one group. */
export function encodeBatch(batch: readonly { command: EncodedCommand; clock: number | undefined }[]) {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  let policyArgs: PolicyArgs | undefined;
  let clock: number | undefined;
  let headIndex = 0;
  let count = 0;
  const endGroup = () => {
    args[headIndex] = clock === undefined ? count : `${count} ${clock}`;
  };
  for (const pending of batch) {
    const { command } = pending;
    if (command.policyArgs !== policyArgs || pending.clock !== clock) {
      if (count > 0) endGroup();
      ({ policyArgs } = command);
      ({ clock } = pending);
      headIndex = args.push(policyArgs, 0) - 1;
      count = 0;
    }
    count += 1;
    for (const key of command.keys) keys.push(key);
    for (const arg of command.args) args.push(arg);
  }
  endGroup();
  return { keys, args };
}

/** Decodes the reply to a command on a former call: true if its lease or reservation was held. */
export function decodeHeld(reply: string): boolean {
  if (reply !== '0' && reply !== '1') throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  return reply === '1';
}

/** The fields of a level that decide.lua reads. */
export type EncodedLevel = Pick<
  ResolvedLevel,
  'algorithm' | 'limit' | 'windowMs' | 'subWindows' | 'mode' | 'queue' | 'shared'
> & {
  punishment: Omit<Required<Punishment>, 'warnAt'> | undefined;
  isPersonal?: boolean;
};

/** Encodes one level for the policy arguments. */
export function encodeLevel({ punishment, isPersonal, queue, shared, ...level }: EncodedLevel): string {
  const { banAt, banMs, lapseMs } = punishment ?? { banAt: 0, banMs: 0, lapseMs: 0 };
  const algorithm = queue ? 'queued-log' : level.algorithm;
  const numbers = isPersonal ? '* *' : `${level.limit} ${level.windowMs}`;
  const mode = shared === undefined ? level.mode : `${level.mode}+`;
  return [algorithm, numbers, level.subWindows, mode, banAt, banMs, lapseMs].join(' ');
}

/** Encodes the personal numbers of levels, which a call sends in one argument; '' if there are none. */
export function encodePersonalNumbers(levels: readonly EncodedLevel[]): string {
  return levels.flatMap(({ isPersonal, limit, windowMs }) => (isPersonal ? [limit, windowMs] : [])).join(' ');
}

/** The outcomes of a call in a reply. */
const REFUSED = 0;
const REPLAYED = 2;
const HAS_OTHER_INPUT = 3;

/** Reads one level of a reply. An enforced level refuses a refused call if it has a wait. */
function readLevel(level: EffectiveLevel, reader: ReplyReader) {
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
  const settles = level.shared !== undefined && reader.next() === 1;
  if (level.punishment) {
    counts.violations = reader.next();
    counts.bannedUntil = reader.next();
  }
  const state = toLevelState(level, counts);
  return { state: settles ? { ...state, settles } : state, refuses, delayMs };
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
): StoreDecision {
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
