import type { Drill } from '../drill';
import { openPages } from '../open-pages';
import { awaitTickets, queueSale } from '../queue-size';
import { redisEmptied } from './redis-emptied';

/** Enough pages to have some on each node; more would compete with the crowd for the processor. */
const PAGES = 60;
const SHOWN_WITHIN_MS = 1_000;

/** The tickets are lost with the data. Their shoppers see it and join again. */
export const queueRedisEmptied: Drill = {
  ...redisEmptied,
  ...queueSale,
  queue: { ...queueSale.queue, losesTickets: true },
  name: 'queue-redis-emptied',
  description: 'kill -9 Redis while 500 tickets wait; it restarts empty',
  async inject(scene) {
    const { topology, listWaiting, cookieOf, markFault, note, reportProblem } = scene;
    await awaitTickets(scene);
    const urls = topology.nodes.map(({ url }) => url);
    const pages = await openPages({ urls, tickets: listWaiting().slice(-PAGES), cookieOf });
    markFault();
    await redisEmptied.inject(scene);
    const { shownMs, unseen } = await pages.waitForLost();
    const slowestMs = Math.max(0, ...shownMs);
    note(
      `${shownMs.length} pages showed their lost tickets, the last ${slowestMs} ms after its node noticed`,
    );
    if (unseen > 0) reportProblem(`${unseen} pages did not show that their tickets are lost`);
    if (slowestMs > SHOWN_WITHIN_MS)
      reportProblem(`a page showed its lost ticket ${slowestMs} ms after its node noticed`);
  },
};
