import http from 'node:http';
import { findFreePort } from '../ports.mjs';
import { readFirstEvent } from './read-first-event.mjs';

/** What the feed tells: a full window of two hundred, of which twenty leave and twenty are admitted each second. */
export const flood = /** @type {const} */ ({
  policy: 'coupon.seckill',
  level: 'global',
  eventsPerSecond: 4,
  limit: 200,
  windowMs: 10_000,
  hitsPerSecond: 20,
  /** As of a crowd that is much too large. */
  refusedPerEvent: 7,
});

/**
 * Stands before the app and lends it a live feed of its own, so that every run shows the same flood. All the rest is the
 * app's own answer. The first event is the app's too; from there on the window of the flood is full, calls are refused
 * and the stock of each coupon goes down with each event.
 *
 * @param {string} appUrl
 * @returns {Promise<{ url: string, stop(): void }>}
 */
export async function startFloodFeed(appUrl) {
  const app = new URL(appUrl);
  const firstState = await readFirstEvent(new URL('/api/live', app));
  const server = http.createServer((req, res) => {
    if (req.url === '/api/live') return sendFlood(res, firstState);
    const { hostname, port } = app;
    const asked = http.request(
      { hostname, port, path: req.url, method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    asked.once('error', (error) => res.destroy(error));
    req.pipe(asked);
  });
  const port = await findFreePort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * @param {http.ServerResponse} res
 * @param {import('./read-first-event.mjs').LiveState} standing
 */
function sendFlood(res, standing) {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let events = 0;
  const send = () => {
    res.write(`event: windows\ndata: ${JSON.stringify(floodAt(Date.now(), { events, standing }))}\n\n`);
    events += 1;
  };
  send();
  const timer = setInterval(send, 1_000 / flood.eventsPerSecond);
  res.once('close', () => clearInterval(timer));
}

/**
 * @param {number} now
 * @param {{ events: number, standing: import('./read-first-event.mjs').LiveState }} soFar
 * @returns {import('./read-first-event.mjs').LiveState}
 */
function floodAt(now, { events, standing }) {
  const { policy, level, limit, windowMs, hitsPerSecond, refusedPerEvent } = flood;
  const apartMs = 1_000 / hitsPerSecond;
  const newest = Math.floor(now / apartMs) * apartMs;
  const hits = Array.from({ length: limit }, (_, place) => newest - (limit - 1 - place) * apartMs);
  const isFlood = (/** @type {{ policy: string, level: string }} */ one) =>
    one.policy === policy && one.level === level;
  return {
    serverNow: now,
    windows: standing.windows.map((window) =>
      isFlood(window) ? { ...window, limit, windowMs, used: limit, remaining: 0, hits } : window,
    ),
    rates: [
      ...standing.rates.filter((rate) => !isFlood(rate)),
      { policy, level, admitted: 0, refused: events * refusedPerEvent, banned: 0, degraded: 0 },
    ],
    stock: standing.stock.map(({ couponId, remaining }) => ({
      couponId,
      remaining: Math.max(1, remaining - events),
    })),
  };
}
