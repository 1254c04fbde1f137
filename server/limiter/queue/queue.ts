import type { DecideOptions } from '../decide/decide';
import type { Decision } from '../decide/decision';
import { FloodgateError } from '../floodgate-error';

/** The ticket of a call that waits for a full window. Instants are epoch ms by the store's clock. */
export type Ticket = WaitingTicket | ServedTicket | VoidTicket;

interface TicketBase {
  ticketId: string;
  /** The group of the ticket, for example a coupon. */
  group: string;
  /** The text that was given to `Queue.join`. */
  payload: string;
  joinedAt: number;
}

export interface WaitingTicket extends TicketBase {
  state: 'waiting';
  /** From 1, over all waiting tickets. */
  position: number;
  /** The waiting tickets before it in its group. */
  ahead: number;
  /** The upper bound of its turn. */
  turnAt: number;
  /**
   * The reason why `turnAt` is later than promised: `limit` if an operator lowered the limit or lengthened the window;
   * otherwise `late`, because tickets could not be served in time. Absent if `turnAt` is not later than promised.
   */
  delayedBy?: 'limit' | 'late';
}

export interface ServedTicket extends TicketBase {
  state: 'served';
  /** The instant of its charge. */
  servedAt: number;
  /** The text that the turn returned; absent until the turn has ended. */
  outcome?: string;
}

export interface VoidTicket extends TicketBase {
  state: 'void';
  /**
   * `left` by the caller, `lost` if the store does not have the ticket; any other is that of `voidGroup`, `voidSubject` or a
   * `TurnResult`.
   */
  reason: string;
}

/** A ticket at its turn: charged at `servedAt`, in the script call that removed it from the queue. */
export interface Turn {
  ticketId: string;
  group: string;
  payload: string;
  joinedAt: number;
  servedAt: number;
  /** The bound that was promised when the ticket joined. */
  promisedAt: number;
  /** True if another node or call served the ticket and may have made its purchase. */
  again: boolean;
}

/** The result of a turn: `outcome` ends the ticket as served, `reason` voids it. */
export type TurnResult = { outcome: string } | { reason: string };

/** The state of a queue, for pages and operators. */
export interface QueueState {
  now: number;
  waiting: number;
  /** The bound of the first and of the last waiting ticket; `null` if none waits. */
  nextTurnAt: number | null;
  lastTurnAt: number | null;
  /** The number of tickets that were served and whose turn has not ended. */
  unfinished: number;
  /** Grows with each change that moves tickets. Lower if the store has lost the queue, also when it has begun again. */
  version: number;
  isClosed: boolean;
  /** Totals of all nodes since Redis has the queue: served tickets, and those that were served after the promised instant. */
  served: number;
  late: number;
  /** The longest time after a promised instant, in ms. */
  longestLateMs: number;
}

export interface JoinOptions extends Omit<DecideOptions, 'requestId'> {
  requestId: NonNullable<DecideOptions['requestId']>;
  /** A caller has one ticket in each group. At most 100 characters, no line break. */
  group: string;
  /** Data for the turn, for example the user and the request id. At most 1 000 characters. */
  payload: string;
  /** The context of the call, which `queue.share.by` of the policy reads. */
  context?: unknown;
  /** The call has charged the caller's own levels before. Default: false. */
  hasCharged?: boolean;
}

export type Joined =
  /** The ordinary decision: admitted, or refused by the caller's own levels, or beyond the queue's bounds. */
  { queued: false; decision: Decision } | { queued: true; ticket: WaitingTicket | ServedTicket; now: number };

/**
 * The caller has as many waiting tickets as one caller may have (`queue.maxPerSubject`). The caller's own levels are charged.
 * Answer 409.
 */
export class TooManyTicketsError extends FloodgateError {
  static override readonly code = 'TOO_MANY_TICKETS';

  constructor(most: number) {
    super(
      `A caller has at most ${most} waiting ${most === 1 ? 'ticket' : 'tickets'}. Leave one to join again.`,
    );
    this.name = 'TooManyTicketsError';
  }
}

export interface ServeOptions {
  /**
   * Runs the turn of a ticket. It may run again for the same ticket, also on another node, so it must be idempotent. If it
   * throws, it runs again after a second.
   */
  onTurn: (turn: Turn) => Promise<TurnResult>;
  /** Returns the groups that are served nothing now. Default: none. */
  pausedGroups?: () => readonly string[];
  /** Receives errors of the store and of turns. */
  onError?: (error: unknown) => void;
  /** Receives the tickets of each script call that served some, for metrics. */
  onServed?: (turns: readonly Turn[]) => void;
  /** Clock and timers of the serving node. Default: those of the process. A simulation gives its own. */
  timers?: QueueTimers;
}

export interface QueueTimers {
  /** Returns a monotonic time in ms. */
  now(): number;
  /** Runs the function after that time. Returns a function that cancels it. */
  start(delayMs: number, run: () => Promise<void>): () => void;
}

/** A serving node. */
export interface QueueServer {
  /** Calls the store at once, for example after a pause. */
  wake(): void;
  /** Returns the number of waiting tickets at the last call, at most half a second ago on a healthy store. */
  waiting(): number;
  /** Stops serving, and resolves when no turn runs. */
  stop(): Promise<void>;
}

/**
 * The queue of a policy whose last level has one. A ticket belongs to the caller that the first level names. All functions
 * throw `StoreUnavailableError`.
 */
export interface Queue {
  /**
   * Decides a call that may wait. It waits if the caller's own levels admit it and the queue's level does not. Joining
   * charges the own levels only. Throws like `Limiter.decide`, `RequestIdConflictError` also for a request id that waits in
   * another group, and `TooManyTicketsError`.
   */
  join(options: JoinOptions): Promise<Joined>;
  /** Returns tickets of the caller. An unknown id, also one of another caller, is void: `lost`. */
  mine(options: CallerTickets): Promise<{ tickets: Ticket[]; now: number }>;
  /** Ends a waiting ticket of the caller. Returns false if it is not waiting. */
  leave(options: Pick<CallerTickets, 'subjects'> & { ticketId: string }): Promise<boolean>;
  /** Ends all waiting tickets of a group. Returns their number. */
  voidGroup(group: string, reason: string): Promise<number>;
  /** Ends all waiting tickets of a caller, by the pseudonym of the first level's subject. Returns their number. */
  voidSubject(pseudonym: string, reason: string): Promise<number>;
  /** Returns the state of the queue. */
  state(): Promise<QueueState>;
  /** Refuses new tickets. Waiting tickets are served. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Serves the queue from this node whenever no other node does. Call it once per node. */
  serve(options: ServeOptions): QueueServer;
}

export interface CallerTickets extends Pick<DecideOptions, 'subjects'> {
  /** At most 20. */
  ticketIds?: readonly string[];
  /** Also returns the latest ticket of the caller in each of these groups, if it waits or ended in the last hour. */
  groups?: readonly string[];
}
