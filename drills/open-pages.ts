import { nextReadAt } from '../app/_queue/tickets';
import { until } from '../test/until';
import { createNodeClient } from './node-clients';
import type { SeenTicket, TicketAnswer } from './ticket-record';
import { type LiveState, watchLive } from './watch-live';

/** Pages of shoppers whose tickets wait. */
export interface OpenPages {
  /**
   * Waits until each page has read that its ticket is lost, and closes them. Returns the times since the first live event of
   * its node that showed the loss, in ms, and the number of pages that read nothing.
   */
  waitForLost(): Promise<{ shownMs: number[]; unseen: number }>;
}

interface Page {
  ticket: SeenTicket;
  shownMs?: number;
}

const LOST_WITHIN_MS = 30_000;

/** Opens pages on all nodes. They read their tickets by the rule of the real page. Resolves when all follow the queue. */
export async function openPages({
  urls,
  tickets,
  cookieOf,
}: {
  urls: readonly string[];
  tickets: readonly SeenTicket[];
  cookieOf: (userId: string) => string;
}): Promise<OpenPages> {
  const closing = new AbortController();
  const pages: Page[] = tickets.map((ticket) => ({ ticket }));
  const nodes = urls.map((url, index) => {
    const { calls } = createNodeClient(url);
    const own = pages.filter((_page, at) => at % urls.length === index);
    return followQueue(url, {
      signal: closing.signal,
      pages: own,
      read: async ({ ticketId, userId }) => {
        const options = { context: { cookie: cookieOf(userId) } };
        const { tickets: answers } = await calls.queue.mine.query({ ticketIds: [ticketId] }, options);
        return answers.find((answer) => answer.ticketId === ticketId);
      },
    });
  });
  await until(() => nodes.every(({ isFollowing }) => isFollowing()), { withinMs: LOST_WITHIN_MS });

  return {
    async waitForLost() {
      await until(() => pages.every(({ shownMs }) => shownMs !== undefined), { withinMs: LOST_WITHIN_MS });
      closing.abort();
      await Promise.all(nodes.map(({ done }) => done));
      const shownMs = pages.flatMap((page) => page.shownMs ?? []);
      return { shownMs, unseen: pages.length - shownMs.length };
    },
  };
}

interface Following {
  isFollowing: () => boolean;
  done: Promise<void>;
}

/** Follows the queue of one node for its pages. A failed read is repeated with the next event. */
function followQueue(
  url: string,
  {
    signal,
    pages,
    read,
  }: {
    signal: AbortSignal;
    pages: readonly Page[];
    read: (ticket: SeenTicket) => Promise<TicketAnswer | undefined>;
  },
): Following {
  let before: number | undefined;
  let noticedAt: number | undefined;

  async function readPage(page: Page, sinceMs: number): Promise<void> {
    const answer = await read(page.ticket).catch(() => undefined);
    if (answer?.state === 'void' && answer.reason === 'lost') page.shownMs ??= Date.now() - sinceMs;
  }

  function onState({ queues }: LiveState): void {
    const version = queues.find(({ policy }) => policy === 'coupon.seckill')?.version;
    if (version === undefined) return;
    const now = Date.now();
    before ??= version;
    // A page reads at most once in 5 s, unless the store has lost the queue.
    const isDue =
      nextReadAt([waitingTicket], { readAt: now, overIds: [], moves: version - before, now }) === now;
    if (!isDue) {
      before = Math.max(before, version);
      return;
    }
    noticedAt ??= now;
    for (const page of pages) if (page.shownMs === undefined) void readPage(page, noticedAt);
  }

  return { isFollowing: () => before !== undefined, done: watchLive(url, { signal, onState }) };
}

/** A ticket whose turn is not soon. */
const waitingTicket: TicketAnswer = {
  ...{ ticketId: '', couponId: '', requestId: '', joinedAt: 0, state: 'waiting', position: 1, ahead: 0 },
  turnAt: Number.MAX_SAFE_INTEGER,
};
