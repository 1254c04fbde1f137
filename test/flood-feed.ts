import http from 'node:http';
import { listenOnFreePort } from '../scripts/lib/ports.mjs';
import type { LiveEvent } from '../server/live/live-hub';

/** The content of the feed: a full window of 200 hits, of which 20 leave and 20 are added each second. */
export const flood = {
  policy: 'coupon.seckill',
  level: 'global',
  eventsPerSecond: 4,
  limit: 200,
  windowMs: 10_000,
  hitsPerSecond: 20,
  /** Simulates a crowd far above the limit. */
  refusedPerEvent: 7,
} as const;

/** The time to serve a ticket after its place becomes free. */
const SERVE_MS = 50;

/**
 * Starts a proxy in front of the app that replaces its live stream, so that every run shows the same flood. It starts from
 * the app's own first event. Then the window is full, calls are refused, and the stock of each coupon falls with each event.
 * `waiting` tickets wait behind the window, each for the next place that becomes free: as many are served as join. Default: 0.
 */
export async function startFloodFeed(
  appUrl: string,
  { waiting = 0 }: { waiting?: number } = {},
): Promise<{ url: string; stop(): void }> {
  const firstState = await readFirstEvent(appUrl);
  const server = http.createServer((req, res) => {
    if (req.url?.startsWith('/api/live')) return sendFlood(res, { firstState, waiting });
    const { method, headers } = req;
    const forwarded = http.request(new URL(req.url ?? '/', appUrl), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    forwarded.once('error', (error) => res.destroy(error));
    req.pipe(forwarded);
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Reads the first event of the app's live stream, and closes the stream. */
async function readFirstEvent(appUrl: string): Promise<LiveEvent> {
  const ids = await listStockedCoupons(appUrl);
  const { body } = await fetch(new URL(`/api/live?coupons=${ids.join()}`, appUrl));
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const data = /^event: windows\ndata: (.+)\n\n/m.exec(text)?.[1];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`The live feed of ${appUrl} ended before its first event.`);
}

async function listStockedCoupons(appUrl: string): Promise<string[]> {
  const { result } = await (await fetch(new URL('/api/trpc/coupon.list', appUrl))).json();
  const { coupons }: { coupons: { id: string; stock: object | null }[] } = result.data;
  return coupons.flatMap(({ id, stock }) => (stock ? [id] : []));
}

interface Start {
  firstState: LiveEvent;
  waiting: number;
}

function sendFlood(res: http.ServerResponse, start: Start): void {
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

function floodAt(now: number, { events, firstState, waiting }: Start & { events: number }): LiveEvent {
  const { policy, level, limit, windowMs, hitsPerSecond, refusedPerEvent } = flood;
  const apartMs = 1_000 / hitsPerSecond;
  const newest = Math.floor(now / apartMs) * apartMs;
  const hits = Array.from({ length: limit }, (_, index) => newest - (limit - 1 - index) * apartMs);
  const isFlood = (one: { policy: string; level: string }) => one.policy === policy && one.level === level;
  // Each ticket takes the place of the next hit that leaves the window.
  const turnAt = (index: number) => (waiting === 0 ? null : (hits[index] ?? 0) + windowMs + SERVE_MS);
  return {
    ...{ serverNow: now, sequence: events },
    windows: firstState.windows.map((window) =>
      isFlood(window) ? { ...window, limit, windowMs, used: limit, remaining: 0, hits } : window,
    ),
    rates: [
      ...firstState.rates.filter((rate) => !isFlood(rate)),
      { policy, level, admitted: 0, refused: events * refusedPerEvent, banned: 0, degraded: 0 },
    ],
    ...{
      ...(firstState.levels && { levels: firstState.levels }),
      bans: firstState.bans,
      couponsVersion: firstState.couponsVersion,
    },
    queues: [
      { policy, level, waiting, nextTurnAt: turnAt(0), lastTurnAt: turnAt(waiting - 1), version: 1 + events },
    ],
    stock: firstState.stock.map(({ couponId, remaining }) => ({
      couponId,
      remaining: remaining - (events % Math.max(1, remaining)),
    })),
  };
}
