import http from 'node:http';
import { findFreePort } from '../ports.mjs';
import { readFirstEvent } from './read-first-event.mjs';

/** The content of the feed: a full window of 200 hits, of which 20 leave and 20 are added each second. */
export const flood = /** @type {const} */ ({
  policy: 'coupon.seckill',
  level: 'global',
  eventsPerSecond: 4,
  limit: 200,
  windowMs: 10_000,
  hitsPerSecond: 20,
  /** Simulates a crowd far above the limit. */
  refusedPerEvent: 7,
});

/**
 * Starts a proxy in front of the app that replaces its live stream, so that every run shows the same flood. It starts from
 * the app's own first event. Then the window is full, calls are refused, and the stock of each coupon falls with each event.
 * `waiting` tickets wait behind the window, each for the next place that becomes free: as many are served as join. Default: 0.
 *
 * @param {string} appUrl
 * @param {{ waiting?: number }} [options]
 * @returns {Promise<{ url: string, stop(): void }>}
 */
export async function startFloodFeed(appUrl, { waiting = 0 } = {}) {
  const app = new URL(appUrl);
  const firstState = await readFirstEvent(new URL('/api/live', app));
  const server = http.createServer((req, res) => {
    if (req.url === '/api/live') return sendFlood(res, { firstState, waiting });
    const { hostname, port } = app;
    const forwarded = http.request(
      { hostname, port, path: req.url, method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    forwarded.once('error', (error) => res.destroy(error));
    req.pipe(forwarded);
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
 * @typedef {object} Start
 * @property {import('./read-first-event.mjs').LiveState} firstState
 * @property {number} waiting
 */

/**
 * @param {http.ServerResponse} res
 * @param {Start} start
 */
function sendFlood(res, start) {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let events = 0;
  const send = () => {
    res.write(`event: windows\ndata: ${JSON.stringify(floodAt(Date.now(), { ...start, events }))}\n\n`);
    events += 1;
  };
  send();
  const timer = setInterval(send, 1_000 / flood.eventsPerSecond);
  res.once('close', () => clearInterval(timer));
}

/**
 * @param {number} now
 * @param {Start & { events: number }} soFar
 * @returns {import('./read-first-event.mjs').LiveState}
 */
function floodAt(now, { events, firstState, waiting }) {
  const { policy, level, limit, windowMs, hitsPerSecond, refusedPerEvent } = flood;
  const apartMs = 1_000 / hitsPerSecond;
  const newest = Math.floor(now / apartMs) * apartMs;
  const hits = Array.from({ length: limit }, (_, index) => newest - (limit - 1 - index) * apartMs);
  const isFlood = (/** @type {{ policy: string, level: string }} */ one) =>
    one.policy === policy && one.level === level;
  return {
    serverNow: now,
    windows: firstState.windows.map((window) =>
      isFlood(window) ? { ...window, limit, windowMs, used: limit, remaining: 0, hits } : window,
    ),
    rates: [
      ...firstState.rates.filter((rate) => !isFlood(rate)),
      { policy, level, admitted: 0, refused: events * refusedPerEvent, banned: 0, degraded: 0 },
    ],
    levels: firstState.levels,
    queues: [{ policy, level, waiting, ...turnsOf(waiting, { hits, windowMs }), version: 1 + events }],
    stock: firstState.stock.map(({ couponId, remaining }) => ({
      couponId,
      remaining: remaining - (events % Math.max(1, remaining)),
    })),
  };
}

/** The time to serve a ticket after its place becomes free. */
const SERVE_MS = 50;

/**
 * Returns the first and the last turn of tickets. Each takes the place of the next hit that leaves the window.
 *
 * @param {number} waiting  At most the limit.
 * @param {{ hits: readonly number[], windowMs: number }} window
 */
function turnsOf(waiting, { hits, windowMs }) {
  const turnAt = (/** @type {number} */ index) => (hits[index] ?? 0) + windowMs + SERVE_MS;
  return waiting === 0
    ? { nextTurnAt: null, lastTurnAt: null }
    : { nextTurnAt: turnAt(0), lastTurnAt: turnAt(waiting - 1) };
}
