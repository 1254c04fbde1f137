import { getOrCreate } from '../get-or-create';
import type {
  CommandReply,
  DecideReply,
  LevelReply,
  PolicyArgs,
  StoreCommand,
  StoreLevel,
  TimedCommand,
} from './store';
import { StoreReplyError } from './store-error';

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
 *           | "settle"           commands on an earlier call: settles its reservation,
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

/** The keys and arguments of a script call. */
export interface ScriptCall {
  keys: string[];
  args: (string | number)[];
}

/** Policy arguments as a text, and what their commands have besides the keys of their levels. */
interface EncodedPolicy {
  /** `policy` in the grammar. */
  text: string;
  /** The indexes of the levels that punish. */
  punishing: readonly number[];
  hasQueue: boolean;
  /** The indexes of the levels whose generation is a key. */
  generations: readonly number[];
  hasOwnCost: boolean;
  /** The numbers of the levels with `*`; '' without one. */
  ownNumbers: string;
}

const encodedPolicies = new WeakMap<PolicyArgs, EncodedPolicy>();

/** Encodes policy arguments once. */
function encodedPolicyOf(policyArgs: PolicyArgs): EncodedPolicy {
  return getOrCreate(encodedPolicies, policyArgs, () => {
    const { kind, levels, levelIndexes, reserveMs } = policyArgs;
    const indexesOf = (isWanted: (level: StoreLevel) => unknown) =>
      levelIndexes.filter((_index, position) => isWanted(levels[position] as StoreLevel));
    const hasReservation = kind === 'settle' || reserveMs !== undefined;
    return {
      text: encodePolicyArgs(policyArgs),
      punishing: indexesOf(({ punishment }) => punishment),
      hasQueue: kind !== 'peek' && levels.some(({ queue }) => queue),
      generations: hasReservation
        ? levelIndexes
        : indexesOf(({ shared }) => kind === 'decide' && shared !== undefined),
      hasOwnCost: hasOwnCost(policyArgs),
      ownNumbers: levels
        .flatMap(({ isPersonal, limit, windowMs }) => (isPersonal ? [limit, windowMs] : []))
        .join(' '),
    };
  });
}

function hasOwnCost({ kind, cost }: PolicyArgs): boolean {
  return kind === 'settle' || (kind === 'decide' && cost === undefined);
}

/** Encodes policy arguments: `policy` in the grammar. */
function encodePolicyArgs({ kind, levels, cost, hits = 0, requestTtlMs = 0, reserveMs }: PolicyArgs): string {
  const charge = kind === 'decide' ? (cost ?? '*') : kind === 'peek' ? 0 : kind;
  const record = reserveMs === undefined ? requestTtlMs : `reserve=${reserveMs}`;
  // A peek is no call of a queue, and reads no generation.
  const shown =
    kind === 'peek' ? levels.map((level) => ({ ...level, queue: undefined, shared: undefined })) : levels;
  return [charge, hits, record, ...shown.map(encodeLevel)].join(' ');
}

/** Encodes one level for the policy arguments. */
export function encodeLevel({ punishment, isPersonal, queue, shared, ...level }: StoreLevel): string {
  const { banAt, banMs, lapseMs } = punishment ?? { banAt: 0, banMs: 0, lapseMs: 0 };
  const algorithm = queue ? 'queued-log' : level.algorithm;
  const numbers = isPersonal ? '* *' : `${level.limit} ${level.windowMs}`;
  const mode = shared === undefined ? level.mode : `${level.mode}+`;
  return [algorithm, numbers, level.subWindows, mode, banAt, banMs, lapseMs].join(' ');
}

/** Encodes the keys and arguments of a script call. Neighbours with the same policy arguments and clock are one group. */
export function encodeBatch(batch: readonly TimedCommand[]): ScriptCall {
  const call: ScriptCall = { keys: [], args: [] };
  let group: { text: string; clock: number | undefined; count: number; countIndex: number } | undefined;
  for (const { command, clock } of batch) {
    const policy = encodedPolicyOf(command.policyArgs);
    if (policy.text !== group?.text || clock !== group.clock)
      group = { text: policy.text, clock, count: 0, countIndex: call.args.push(policy.text, 0) - 1 };
    group.count += 1;
    call.args[group.countIndex] = clock === undefined ? group.count : `${group.count} ${clock}`;
    encodeCommand(call, command, policy);
  }
  return call;
}

/** Encodes a batch of one command, whose clock is that of the batch around it. */
export function encodeOne(call: ScriptCall, command: StoreCommand): void {
  const policy = encodedPolicyOf(command.policyArgs);
  call.args.push(policy.text, '');
  encodeCommand(call, command, policy);
}

/** Adds the keys and arguments of a command, in the order of decide.lua. */
function encodeCommand({ keys, args }: ScriptCall, command: StoreCommand, policy: EncodedPolicy): void {
  const { policyArgs, keys: keyOf, request, leaseId, reservationKey, cost } = command;
  for (const index of policyArgs.levelIndexes) keys.push(keyOf.level(index));
  for (const index of policy.punishing) {
    keys.push(keyOf.violations(index));
    args.push(keyOf.banMember(index));
  }
  if (policy.punishing.length > 0) keys.push(keyOf.bans());
  if (policy.hasQueue) keys.push(keyOf.queue('queue'));
  for (const index of policy.generations) keys.push(keyOf.generation(index));
  if (request) {
    keys.push(request.key);
    args.push(request.input);
  }
  if (reservationKey !== undefined) keys.push(reservationKey);
  if (leaseId !== undefined) args.push(leaseId);
  if (policy.hasOwnCost) args.push(`${cost} ${policy.ownNumbers}`);
  else if (policy.ownNumbers !== '') args.push(policy.ownNumbers);
}

/** Decodes the reply to a batch. */
export function decodeReplies(batch: readonly TimedCommand[], reply: unknown): (CommandReply | Error)[] {
  if (typeof reply !== 'string') throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  return decodeEach(batch, reply.split('\n'), decodeReply);
}

/** Decodes the reply to each command of a batch. A malformed one is the error of its command alone. */
export function decodeEach<Command, Line, Reply>(
  batch: readonly TimedCommand<Command>[],
  lines: readonly Line[],
  decode: (command: Command, line: Line) => Reply,
): (Reply | Error)[] {
  if (lines.length !== batch.length)
    throw new TypeError(`the script replied ${JSON.stringify(lines)} to ${batch.length} calls`);
  return lines.map((line, index) => {
    try {
      return decode((batch[index] as TimedCommand<Command>).command, line);
    } catch (error) {
      if (error instanceof TypeError) return error;
      throw error;
    }
  });
}

function decodeReply({ policyArgs }: StoreCommand, line: string): CommandReply | Error {
  if (line.startsWith('-')) return new StoreReplyError(line.slice(1));
  const isDecision = policyArgs.kind === 'decide' || policyArgs.kind === 'peek';
  return isDecision ? decodeDecision(policyArgs, line) : decodeHeld(line);
}

function decodeHeld(reply: string): boolean {
  if (reply !== '0' && reply !== '1') throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  return reply === '1';
}

const OUTCOMES = ['refused', 'admitted', 'replayed', 'conflict'] as const;
const NO_HITS: readonly number[] = [];

/** Decodes a decision or a peek. Throws a `TypeError` if the reply does not fit the levels. */
export function decodeDecision({ kind, levels, hits = 0 }: PolicyArgs, reply: string): DecideReply {
  const reader = new ReplyReader(reply);
  const now = reader.next();
  const outcome = OUTCOMES[reader.next()];
  if (!outcome) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  const isRefused = outcome === 'refused';
  const states = levels.map((level) => readLevel(level, reader, { kind, isRefused }));
  if (hits > 0)
    for (const state of states) state.hits = Array.from({ length: reader.next() }, () => reader.next());
  reader.end();
  return { now, outcome, levels: states };
}

/** Reads one level of a reply. An enforced level refuses a refused call if it has a wait. */
function readLevel(
  level: StoreLevel,
  reader: ReplyReader,
  { kind, isRefused }: Pick<PolicyArgs, 'kind'> & { isRefused: boolean },
): LevelReply {
  const isEnforced = level.mode === 'enforce';
  const state: LevelReply = {
    used: reader.next(),
    retryAfterMs: reader.next(),
    resetMs: reader.next(),
    delayMs: 0,
    refuses: false,
    settles: false,
    violations: 0,
    bannedUntil: 0,
    hits: NO_HITS,
  };
  if (isEnforced && level.algorithm === 'leaky-bucket') state.delayMs = reader.next();
  state.refuses = isEnforced ? isRefused && state.retryAfterMs > 0 : reader.next() === 1;
  if (kind !== 'peek' && level.shared !== undefined) state.settles = reader.next() === 1;
  if (level.punishment) {
    state.violations = reader.next();
    state.bannedUntil = reader.next();
  }
  return state;
}

const SPACE = 0x20;
const ZERO = 0x30;

/** Reads a line of a reply of decide.lua: whole numbers separated by single spaces. */
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
