import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../server/router';

/** A ticket as a node described it. */
export type TicketAnswer = inferRouterOutputs<AppRouter>['queue']['mine']['tickets'][number];

/** A ticket by all answers so far. Instants are epoch ms by Redis's clock. */
export interface SeenTicket {
  ticketId: string;
  userId: string;
  requestId: string;
  joinedAt: number;
  /** The bound of its turn in the reply to its join; absent if that reply was lost. */
  promisedAt: number | undefined;
  /** The latest bound, and the instant at which it was requested; absent if it was served before the first answer. */
  bound?: { turnAt: number; readAt: number };
  state: TicketAnswer['state'];
  /** The instants of its charge: more than one if it was served twice. */
  servedAt: Set<number>;
  /** True if it bought at its turn. */
  hasBought: boolean;
  /** The reason of a void ticket. */
  reason?: string;
}

/** Records the tickets that the crowd holds. */
export interface TicketRecord {
  list(): SeenTicket[];
  /** The number of bounds that were later than promised and had no reason. */
  unexplained(): number;
  onAnswer(answer: TicketAnswer, reader: { userId: string; requestId: string; sentAt: number }): void;
}

export function createTicketRecord(): TicketRecord {
  const tickets = new Map<string, SeenTicket>();
  let unexplained = 0;

  return {
    list: () => [...tickets.values()],
    unexplained: () => unexplained,
    onAnswer(answer, { userId, requestId, sentAt }) {
      const { ticketId, joinedAt, state } = answer;
      const isFirst = answer.state === 'waiting' && joinedAt >= sentAt;
      const ticket = tickets.get(ticketId) ?? {
        ...{ ticketId, userId, requestId, joinedAt, state, servedAt: new Set<number>(), hasBought: false },
        promisedAt: isFirst ? answer.turnAt : undefined,
      };
      tickets.set(ticketId, ticket);
      ticket.state = state;
      switch (answer.state) {
        case 'waiting':
          ticket.bound = { turnAt: answer.turnAt, readAt: sentAt };
          if (answer.turnAt > (ticket.promisedAt ?? Infinity) && !answer.delayedBy) unexplained += 1;
          break;
        case 'served':
          ticket.servedAt.add(answer.servedAt);
          ticket.hasBought = answer.outcome?.outcome === 'accepted';
          break;
        case 'void':
          ticket.reason = answer.reason;
      }
    },
  };
}
