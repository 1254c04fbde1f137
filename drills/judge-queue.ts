import type { Period } from './limit-periods';
import type { SeenTicket } from './ticket-record';
import type { HitWindow } from './window-log';

/** The observations of a sale with a queue. Instants are epoch ms by Redis's clock. */
export interface QueueEvidence {
  tickets: readonly SeenTicket[];
  /** The number of bounds that were later than promised and had no reason. */
  unexplained: number;
  /** The hits of the window by instant, in order. */
  hits: readonly (readonly [at: number, count: number])[];
  /** The places of the window, if their number was the same throughout. */
  window: { limit: number; windowMs: number };
  /** Periods in which a fault may delay turns. */
  delays: readonly Period[];
  /** The instant at which Redis lost data, if it did. */
  cutAt: number | undefined;
  /** True if it lost all data. */
  losesTickets: boolean;
  /** The longest time for which a place may be free while a ticket waits, in ms. Undefined: the fault changes the places. */
  maxFreeMs: number | undefined;
  /** The state of Redis in the end: the charges of tickets, the tickets that were charged, and the charged request ids. */
  inRedis: { served: number; tickets: number; requestIds: number };
  /** The number of orders in Postgres by request id. */
  orders: ReadonlyMap<string, number>;
}

/** A turn is at most this late on a healthy store. */
const MAX_LATE_MS = 500;

/** Judges the turns of a sale. Returns broken guarantees, and a summary. */
export function judgeQueue(evidence: QueueEvidence): { problems: string[]; summary: string } {
  const { tickets, unexplained, delays, cutAt, losesTickets, maxFreeMs, inRedis } = evidence;
  const served = tickets.filter(({ servedAt }) => servedAt.size > 0);
  const lost = tickets.filter(({ reason }) => reason === 'lost');
  const lateMs = served.map((ticket) => firstOf(ticket) - (ticket.promisedAt ?? Infinity));
  const late = lateMs.filter((ms) => ms > 0);
  const broken = served.filter((ticket) => isBroken(ticket, delays));
  const freeMs = longestFreeMs(served, evidence);
  const problems = [
    ...findRepetitions(served, evidence),
    ...(lost.length > 0 && !losesTickets ? [`${lost.length} tickets were lost`] : []),
    ...(unexplained > 0 ? [`${unexplained} later bounds of turns had no reason`] : []),
    ...(broken.length > 0
      ? [`${broken.length} turns were late without a fault since their bounds: ${describeTurns(broken)}`]
      : []),
    ...(maxFreeMs !== undefined && freeMs > maxFreeMs
      ? [`a place was free for ${freeMs} ms while a ticket waited, more than ${maxFreeMs} ms`]
      : []),
  ];
  const summary =
    `${tickets.length} tickets, ${served.length} served, ${late.length} of them later than first promised ` +
    `(by up to ${Math.max(0, ...late)} ms), ${lost.length} lost` +
    (cutAt === undefined ? `; ${chargesOf(evidence)} charges of ${inRedis.requestIds} request ids` : '') +
    (maxFreeMs === undefined ? '' : `; a place was free for at most ${freeMs} ms`);
  return { problems, summary };
}

const chargesOf = ({ hits }: Pick<QueueEvidence, 'hits'>): number =>
  hits.reduce((sum, [, count]) => sum + count, 0);

const firstOf = ({ servedAt }: SeenTicket): number => Math.min(...servedAt);

/** Returns the charges and orders that a ticket or request id has in excess. */
function findRepetitions(
  served: readonly SeenTicket[],
  { hits, inRedis, orders, cutAt, losesTickets }: QueueEvidence,
): string[] {
  const twice = served.filter(({ servedAt }) => servedAt.size > 1);
  const charges = chargesOf({ hits });
  const bought = served.filter(({ hasBought }) => hasBought);
  const isOrdered = ({ requestId }: SeenTicket) => orders.has(requestId) || losesTickets;
  const missing = bought.filter((ticket) => !isOrdered(ticket));
  const repeated = [...orders].filter(([, count]) => count > 1);
  return [
    ...twice.map(({ ticketId, servedAt }) => `${ticketId} was served at ${[...servedAt].join(' and ')}`),
    ...(inRedis.served === inRedis.tickets
      ? []
      : [`${inRedis.tickets} tickets were served ${inRedis.served} times`]),
    ...(cutAt === undefined && charges > inRedis.requestIds
      ? [`${charges} charges of ${inRedis.requestIds} request ids`]
      : []),
    ...missing.map(({ ticketId }) => `the purchase of ${ticketId} is not in Postgres`),
    ...repeated.map(([requestId, count]) => `${count} orders of request ${requestId}`),
  ];
}

/** Returns true if a ticket was served after its latest bound, and no fault could delay it since. */
function isBroken(ticket: SeenTicket, delays: QueueEvidence['delays']): boolean {
  const { bound } = ticket;
  if (!bound) return false;
  const servedAt = firstOf(ticket);
  const isExcused = delays.some(({ from, until }) => from <= servedAt && until >= bound.readAt);
  return !isExcused && servedAt > bound.turnAt + MAX_LATE_MS;
}

const describeTurns = (tickets: readonly SeenTicket[]): string =>
  tickets
    .slice(0, 3)
    .map((ticket) => `${ticket.ticketId} at ${firstOf(ticket)} instead of ${ticket.bound?.turnAt}`)
    .join(', ');

/** Returns the longest time from the instant at which a place was free and a ticket waited to the charge of that place. */
function longestFreeMs(
  served: readonly SeenTicket[],
  { hits, window: { limit, windowMs } }: QueueEvidence,
): number {
  const charges = hits.flatMap(([at, count]) => Array.from({ length: count }, () => at));
  const firstJoined = new Map<number, number>();
  for (const ticket of served) {
    const at = firstOf(ticket);
    firstJoined.set(at, Math.min(firstJoined.get(at) ?? Infinity, ticket.joinedAt));
  }
  const free = charges.map((at, index) => {
    const before = charges[index - limit];
    const joinedAt = firstJoined.get(at);
    return before === undefined || joinedAt === undefined ? 0 : at - Math.max(before + windowMs, joinedAt);
  });
  return Math.max(0, ...free);
}

/** Returns the windows that are fuller than the effective limit at their end. */
export function listOverfull(
  windows: readonly HitWindow[],
  limitAt: (at: number) => number,
): (HitWindow & { limit: number })[] {
  return windows
    .map((window) => ({ ...window, limit: limitAt(window.at) }))
    .filter(({ count, limit }) => count > limit);
}
