import type { DecideOptions } from '../decide/decide';
import type { Decision } from '../decide/decision';
import { FloodgateError } from '../floodgate-error';
import type { QueueState, ServedTicket, Ticket, Turn, TurnResult, WaitingTicket } from '../stores/ticket';

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
  /**
   * Also returns the latest ticket of the caller in each of these groups, if it waits or ended in the last hour. `'all'`: in every
   * group, in the order of joining.
   */
  groups?: readonly string[] | 'all';
}
