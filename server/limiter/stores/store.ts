import type { LevelAlgorithm, Mode } from '../policy/policy';
import type { QueueState, ServedTicket, ServedTurn, Ticket, WaitingTicket } from './ticket';

/** A level of a command, with the numbers that apply to the caller. */
export interface StoreLevel {
  algorithm: LevelAlgorithm;
  limit: number;
  windowMs: number;
  subWindows: number;
  /** A level that is not `enforce` decides, but refuses no call. */
  mode: Mode;
  /** Present if calls that the level refuses may wait. */
  queue?: object | undefined;
  /** The name of the window that several policies charge. */
  shared?: string | undefined;
  punishment?: { banAt: number; banMs: number; lapseMs: number } | undefined;
  /** True if limit and window are those of one caller, so that calls of the same policy have others. */
  isPersonal?: boolean | undefined;
}

/** The keys of a call. All are in one slot. */
export interface StoreKeys {
  /** Returns the key of a level's state, by the index of the level in its policy. */
  level(index: number): string;
  /** Returns the key of the generation of a level's state, by which a settling recognises its window. */
  generation(index: number): string;
  /** Returns the key of the violations of a level's subject. */
  violations(index: number): string;
  /** Returns the member of a level's subject in the bans. */
  banMember(index: number): string;
  /** Returns the key of the bans. */
  bans(): string;
  /** Returns a key of the policy's queue by its last part; `queue` is that of the waiting tickets. */
  queue(part: QueueKey): string;
}

/** The last part of a key of a queue. */
export type QueueKey =
  | 'queue'
  | `queue:${'groups' | 'tickets' | 'served' | 'ended-0' | 'ended-1' | 'state' | 'callers'}`;

/** The part of a command that calls of one policy share. A store may cache by this object what it computes from it. */
export interface PolicyArgs {
  /** `settle`, `release` and `renew` are commands on a former call. `release` and `renew` have in-flight levels only. */
  kind: 'decide' | 'peek' | 'settle' | 'release' | 'renew';
  /** In checking order. */
  levels: readonly StoreLevel[];
  /** The index of each level in its policy. */
  levelIndexes: readonly number[];
  /** Of `decide`: the cost of every call. Absent: each call has its own. */
  cost?: number | undefined;
  /** The newest hits of each log to reply with, at most. Default: none. */
  hits?: number;
  /** The lifetime of the request ids of the calls. Absent: they have none. */
  requestTtlMs?: number;
  /** The lease of the reservations of the calls. Absent: they reserve nothing. */
  reserveMs?: number | undefined;
}

/** One command of a batch. */
export interface StoreCommand {
  policyArgs: PolicyArgs;
  keys: StoreKeys;
  /** In units, that of the policy arguments if they have one; 0 of a peek; of a settling, those that the call keeps. */
  cost: number;
  /** Only with `requestTtlMs`: the key of the request id, and the fingerprint of its input, a whole number from 1. */
  request?: { key: string; input: number } | undefined;
  /** Only if a level counts calls in flight, and the command takes or changes a lease: 12 characters. */
  leaseId?: string | undefined;
  /** Only of a call that reserves its cost, and of its settling. */
  reservationKey?: string | undefined;
}

/** A command with its clock. */
export interface TimedCommand<Command = StoreCommand> {
  command: Command;
  /** Epoch ms, in tests and simulations; `undefined` is the clock of the store. */
  clock: number | undefined;
}

/** The reply to a call that was decided or peeked. */
export interface DecideReply {
  /** Epoch ms of the decision. */
  now: number;
  /** `replayed` and `conflict`: the request id was charged before, with the same or another input. */
  outcome: 'refused' | 'admitted' | 'replayed' | 'conflict';
  /** In the order of the command. */
  levels: readonly LevelReply[];
}

/** The state of a level after the call. */
export interface LevelReply {
  /** Units in the window. */
  used: number;
  /** 0 if the level admits a unit. */
  retryAfterMs: number;
  /** The time until the oldest unit returns; 0 if none is used. */
  resetMs: number;
  /** Only of an enforced leaky bucket above 0: the time until the start of the admitted call. */
  delayMs: number;
  /** True if the level refuses the call, or would refuse it if it were enforced. */
  refuses: boolean;
  /** True if a settling by another policy may end the wait. */
  settles: boolean;
  violations: number;
  /** Epoch ms; 0 without a ban. */
  bannedUntil: number;
  /** The newest hits, oldest first; only if the command has `hits`. */
  hits: readonly number[];
}

/** Of `settle`, `release` and `renew`: true if the reservation or lease was held and the command changed something. */
export type CommandReply = DecideReply | boolean;

/** The violations and ban of one subject. */
export interface StoreBan {
  member: string;
  /** Epoch ms. */
  bannedUntil: number;
}

/** The level of a queue, with the limit and window that apply. */
export interface QueueCommand {
  keys: StoreKeys;
  /** The index of the level with the queue. */
  level: number;
  limit: number;
  windowMs: number;
}

/** A call that may wait. */
export interface JoinCommand {
  /** The queue and its bounds. Consecutive calls may share the object. */
  queue: QueueCommand & {
    maxLength: number;
    maxWaitMs: number;
    /** The most tickets of a caller and of a share; 0 without a maximum. */
    maxOfCaller: number;
    maxOfShare: number;
    /** Takes the lease if nothing waits. */
    node: string;
  };
  /** The call on all levels, with a request id. */
  all: StoreCommand;
  /** The call on the caller's own levels, without one. */
  own: StoreCommand;
  /** The pseudonym of the caller. */
  owner: string;
  group: string;
  /** Tickets with the same share are counted together; '' for none. */
  share: string;
  /** The last part of the key of the request id. */
  request: string;
  payload: string;
}

/** `now` is the epoch ms of the reply. */
export type JoinReply = { now: number } & (
  | {
      kind: 'decided';
      decision: DecideReply;
      /** True if it is the decision on the own levels. */
      isOwn: boolean;
      /** The time until the queue may have room; 0 if it has. */
      waitMs: number;
    }
  | { kind: 'ticket'; ticket: WaitingTicket | ServedTicket }
  /** The request id waits in another group, or the caller has its most tickets. */
  | { kind: 'conflict'; reason: 'request' | 'tickets' }
);

/** Ends turns, and serves the tickets for which units are free. */
export interface ServeCommand extends QueueCommand {
  /** False: the queue is served by the last enforced numbers. */
  isEnforced: boolean;
  node: string;
  leaseMs: number;
  /** The most tickets to serve. */
  maxServed: number;
  requestTtlMs: number;
  /** The start of the keys of request ids. */
  requestStart: string;
  /** True to return also the turns of dead nodes. */
  recovers: boolean;
  pausedGroups: readonly string[];
  ended: readonly EndedTurn[];
}

/** A turn that has ended. `detail` is its outcome or reason. */
export interface EndedTurn {
  id: string;
  sequence: string;
  state: 'served' | 'void';
  detail: string;
}

/** The reply to `serve`. Instants that do not exist are 0. */
export interface ServeReply {
  now: number;
  /** The end of the lease of another node. */
  heldUntil: number;
  /** The instant to serve the next tickets. */
  serveAt: number;
  waiting: number;
  /** The limit and window that apply: the last enforced ones. */
  numbers: { limit: number; windowMs: number };
  turns: ServedTurn[];
}

/** The groups whose tickets are read: these, or all in which the caller has a ticket. */
export type TicketGroups = readonly string[] | 'all';

/** Reads tickets of a caller. */
export interface MineCommand extends QueueCommand {
  owner: string;
  groups: TicketGroups;
  ticketIds: readonly string[];
}

/** Ends waiting tickets, or closes or opens the queue. */
export interface VoidCommand extends Omit<QueueCommand, 'limit' | 'windowMs'> {
  kind: 'ticket' | 'owner' | 'group' | 'close' | 'open';
  /** The group, or the pseudonym of the owner. */
  target: string;
  /** Only of `ticket`. */
  ticketId: string;
  reason: string;
  /** Continues a command that ended the most tickets of one call; '' for a new one. */
  after: string;
}

/** The queue commands of a store. Each is atomic. */
export interface QueueStore {
  /** Decides calls on one queue in order, each as if it were sent alone. The reply to a call that failed is its error. */
  join(batch: readonly TimedCommand<JoinCommand>[]): Promise<readonly (JoinReply | Error)[]>;
  serve(command: ServeCommand, clock: number | undefined): Promise<ServeReply>;
  mine(command: MineCommand, clock: number | undefined): Promise<{ state: QueueState; tickets: Ticket[] }>;
  /** Returns the number of ended tickets, and the `after` of the next command; '' if all have ended. */
  void(command: VoidCommand, clock: number | undefined): Promise<{ ended: number; continuesAfter: string }>;
}

/**
 * Holds the windows of a limiter. Each call of a function is atomic, and is never executed twice. It rejects at once without
 * a connection. The limiter has its own timeout. A `clock` is epoch ms to use instead of that of the store.
 */
export interface Store {
  /**
   * Executes commands in order, each as if it were sent alone. Their keys are in one slot. A call is charged on all levels or
   * on none. The reply to a command that failed is its error, an `Error`; the others are executed.
   */
  decide(batch: readonly TimedCommand[]): Promise<readonly (CommandReply | Error)[]>;
  /** Lists the active bans of a key, the first to end first. */
  listBans(bansKey: string, clock: number | undefined): Promise<readonly StoreBan[]>;
  countBans(bansKey: string, clock: number | undefined): Promise<number>;
  /** Bans a subject, whose `member` has no number of violations. A ban that has not ended gets the new end. */
  addBan(
    keys: { bans: string; violations: string },
    ban: { member: string; banMs: number; lapseMs: number },
    clock: number | undefined,
  ): Promise<StoreBan>;
  /** Ends a ban and deletes its violations. Returns false if there is no such ban. */
  liftBan(keys: { bans: string; violations: string }, ban: StoreBan): Promise<boolean>;
  /** Deletes the state of a level, and begins a generation with this id. */
  clearWindow(keys: { level: string; generation: string }, generationId: string): Promise<void>;
  /**
   * Clears some windows whose keys begin with one of these texts, up to the pseudonym; an empty id begins no generation. All
   * are cleared when the returned cursor, from which the next call continues, is `0` as at the start.
   */
  resetWindows(starts: readonly string[], options: { cursor: string; generationId: string }): Promise<string>;
  deleteKey(key: string): Promise<void>;
  queue: QueueStore;
  /** Returns a text that keys of one slot have in common. Absent: any keys may be in one batch. */
  slotOf?(key: string): string;
  /** Returns the clock of the store in epoch ms, if the limiter must use it for its caches too. */
  clock?(): number;
  /** Returns the last error of the connection, for the error of `Limiter.ready`. */
  connectionError?(): Promise<string | undefined>;
  /**
   * Resolves when the store can decide. Throws a `ScriptError` if a script of it does not compile. `onWarning` receives the
   * unsafe options of a given client, once.
   */
  ready(options: { hasQueues: boolean; onWarning: (message: string) => void }): Promise<void>;
  /** Returns the store of one limiter. Only of a store that makes its connection, which all its limiters share. */
  forLimiter?(user: StoreUser): Store;
  /** Ends the use by a limiter, after its last replies. The connection ends with its last limiter. */
  close?(): Promise<void>;
}

/** The limiter that uses a connection. */
export interface StoreUser {
  /** A call waits for the first connection at most this long. */
  timeoutMs: number;
  /** Receives the first error of each outage. */
  onWarning: (message: string) => void;
}

/** Returns the hash tag of a key: a cluster computes the slot of the key from it. */
export function hashTagOf(key: string): string {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start);
  return start === -1 || end <= start + 1 ? key : key.slice(start + 1, end);
}
