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
export interface Turn extends TicketBase {
  servedAt: number;
  /** The bound that was promised when the ticket joined. */
  promisedAt: number;
  /** True if another node or call served the ticket and may have made its purchase. */
  again: boolean;
}

/** A turn, with what ends it. */
export interface ServedTurn extends Turn {
  id: string;
  sequence: string;
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

/** Returns the reason why a turn is later than promised; `{}` if it is not. */
export function delayOf(ticket: {
  turnAt: number;
  promise: { promisedAt: number; limit: number; windowMs: number };
  numbers: { limit: number; windowMs: number };
}): Pick<WaitingTicket, 'delayedBy'> {
  const { turnAt, promise, numbers } = ticket;
  if (turnAt <= promise.promisedAt) return {};
  const isStricter = numbers.limit < promise.limit || numbers.windowMs > promise.windowMs;
  return { delayedBy: isStricter ? 'limit' : 'late' };
}
