import type { Drill, Scene } from './drill';

/** The number of tickets that wait when the fault happens. */
const WAITING = 500;

/**
 * A sale of a drill of the queue: 1,400 shoppers for 700 coupons, of which 100 are sold in any 4 s. Four of five shoppers join
 * the queue, the others call again.
 */
export const queueSale = {
  sizeOn: () => ({ shoppers: 1_400, stock: 700, limit: 100, windowMs: 4_000 }),
  queue: { joins: (index) => index % 5 > 0 },
  ledgers: ['postgres'],
  // Each call has an address of its own. From one address, the reads of all shoppers are above `own.read`.
  nodeEnv: () => ({ TRUSTED_PROXIES: '127.0.0.1/32' }),
} as const satisfies Partial<Drill>;

/** Waits until 500 tickets wait. Reports a problem if they do not. */
export async function awaitTickets({ waitForWaiting, reportProblem }: Scene): Promise<void> {
  if (!(await waitForWaiting(WAITING))) reportProblem('too few tickets wait');
}
