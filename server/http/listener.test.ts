import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openLimiter } from '../../test/context';
import { ask, connectTo } from '../../test/http-server';
import { StartError } from '../errors';
import { unlimited } from '../limiter';
import { createLog } from '../observability/log';
import { createMetrics } from '../observability/metrics';
import { router } from '../trpc/init';
import { publicProcedure } from '../trpc/procedures';
import { createListener, type ListenerEnv, type ListenerOptions } from './listener';
import { createLiveHub } from './live-hub';
import type { PageRequests } from './page-requests';
import { createSessions } from './session';

const ANN = { id: 'u1', name: 'Ann', role: 'shopper' } as const;
const sessions = createSessions({ secrets: ['a secret that is long enough to sign'], secure: false });

describe('each path finds its answer', () => {
  test('procedures, without a page being asked', async () => {
    const { port, pagePaths } = await listening();
    expect(await ask(port, { path: '/api/trpc/whoami' })).toMatchObject({ status: 200 });
    expect((await ask(port, { path: '/api/trpc' })).status).toBe(404);
    expect((await ask(port, { path: '/api/trpc/' })).status).toBe(404);
    expect(pagePaths).toEqual([]);
  });

  test('health, readiness and metrics', async () => {
    const { port } = await listening();
    expect(await ask(port, { path: '/healthz' })).toMatchObject({ status: 200, body: '{"alive":true}' });
    expect(await ask(port, { path: '/readyz?probe=1' })).toMatchObject({
      status: 200,
      body: '{"ready":true,"dependencies":{"redis":{"ok":true,"detail":"answers"}}}',
    });
    const metrics = await ask(port, { path: '/metrics' });
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.body).toContain('floodgate_live_viewers 0');
  });

  test('readiness is 503 while something that is needed is down', async () => {
    const { port } = await listening({ checks: { redis: async () => ({ ok: false, detail: 'away' }) } });
    expect(await ask(port, { path: '/readyz' })).toMatchObject({ status: 503 });
    expect(await ask(port, { path: '/healthz' })).toMatchObject({ status: 200 });
  });

  test('the pages have the rest', async () => {
    const { port, pagePaths } = await listening();
    for (const path of ['/', '/wallet?tab=1', '/api/other', '/healthz/x', '/_next/static/x.js']) {
      expect((await ask(port, { path })).body).toMatch(/^page/);
    }
    expect(pagePaths).toEqual(['/', '/wallet?tab=1', '/api/other', '/healthz/x', '/_next/static/x.js']);
  });

  test('a request target that only proxies use is refused', async () => {
    const { port } = await listening();
    expect((await ask(port, { path: 'http://evil.example/' })).status).toBe(400);
    expect((await ask(port, { path: '*', method: 'OPTIONS' })).status).toBe(400);
  });
});

describe('who calls is known', () => {
  const whoami = { path: '/api/trpc/whoami' };

  test('by session, address and language, in a procedure', async () => {
    const { port } = await listening({ env: { TRUSTED_PROXIES: ['127.0.0.1'] } });
    const headers = {
      cookie: `${sessions.sign(ANN)}; lang=zh`,
      'x-forwarded-for': '198.51.100.1, 203.0.113.9',
    };
    const { body } = await ask(port, { ...whoami, headers });
    expect(JSON.parse(body).result.data).toEqual({ user: ANN, ip: '203.0.113.9', language: 'zh' });
  });

  test('and the same on a page, with the nonce of its policy', async () => {
    const { port, pages } = await listening();
    pages.handle = async (req, res) => {
      const seam: PageRequests<{ whoami(): Promise<object> }> = Reflect.get(
        globalThis,
        Symbol.for('floodgate'),
      );
      const policy = req.headers['content-security-policy'];
      res.end(JSON.stringify({ ...seam.request(), called: await seam.caller().whoami(), policy }));
    };
    const forged = { 'content-security-policy': "script-src 'nonce-evil'" };
    const answer = await ask(port, { path: '/?lang=zh', headers: { cookie: sessions.sign(ANN), ...forged } });
    const page = JSON.parse(answer.body);
    expect(page).toMatchObject({ user: ANN, language: 'zh', demo: true });
    expect(page.called).toEqual({ user: ANN, ip: '127.0.0.1', language: 'zh' });
    expect(page.policy).toContain(`'nonce-${page.nonce}' 'strict-dynamic'`);
    expect(answer.headers['content-security-policy']).toBe(page.policy);
  });

  test('?lang is remembered in a cookie', async () => {
    const { port } = await listening();
    expect((await ask(port, { path: '/?lang=zh' })).headers['set-cookie']).toEqual([
      'lang=zh; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect((await ask(port, { path: '/' })).headers['set-cookie']).toBeUndefined();
  });

  test('two pages never share a nonce', async () => {
    const { port } = await listening();
    const [one, other] = [await ask(port, { path: '/' }), await ask(port, { path: '/' })];
    expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
  });
});

describe('answers defend the browser', () => {
  test('those of the API are not stored and not rendered', async () => {
    const { port } = await listening();
    for (const path of ['/api/trpc/whoami', '/api/trpc/nothing', '/healthz', '/readyz', '/metrics']) {
      expect((await ask(port, { path })).headers, path).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  test('https is promised where the public origin is https', async () => {
    const { port } = await listening({ env: { PUBLIC_ORIGIN: 'https://sale.example.com' } });
    const { headers } = await ask(port, { path: '/?lang=en' });
    expect(headers['strict-transport-security']).toBeDefined();
    expect(headers['set-cookie']?.[0]).toContain('Secure');
  });
});

describe('what fails', () => {
  test('in a page, before it began to answer, is a logged 500', async () => {
    const { port, pages, lines } = await listening();
    pages.handle = async () => Promise.reject(new Error('a bug'));
    expect(await ask(port, { path: '/x?secret=1' })).toMatchObject({
      status: 500,
      body: 'Something went wrong.',
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'a request failed', path: '/x' }]);
  });

  test('inside Next is logged by its status', async () => {
    const { port, pages, lines } = await listening();
    pages.handle = async (_req, res) => void res.writeHead(500).end('broken');
    await ask(port, { path: '/x?secret=1' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'a page failed', path: '/x', status: 500 },
    ]);
  });

  test('while it was answering cuts the answer off', async () => {
    const { port, pages } = await listening();
    pages.handle = async (_req, res) => {
      res.write('half');
      throw new Error('a bug');
    };
    await expect(ask(port, { path: '/' })).rejects.toThrow(/aborted|hang up/);
  });

  test('a port that is in use is named, with what to do', async () => {
    const { port } = await listening();
    const second = listener({ env: { PORT: port } }).listener;
    await expect(second.listen()).rejects.toThrow(
      new StartError(
        `Port ${port} of 127.0.0.1 is in use. Stop what uses it, or choose another: PORT=${port + 1}`,
        {
          cause: undefined,
        },
      ),
    );
    await second.close();
  });

  test('an address of another machine is named', async () => {
    const { listener: elsewhere } = listener({ env: { HOST: '192.0.2.5' } });
    await expect(elsewhere.listen()).rejects.toThrow('192.0.2.5 is no address of this machine');
    await elsewhere.close();
  });
});

test('it listens on IPv6 and says so in a URL that opens', async () => {
  const { url } = await listening({ env: { HOST: '::1' } });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

describe('the live stream', () => {
  test('begins at once, is never held back by a proxy, and is open to GET only', async () => {
    const { port } = await listening();
    const { socket, receives } = await connectTo(port);
    socket.write('GET /api/live HTTP/1.1\r\nhost: a\r\n\r\n');
    const text = await receives(/event: windows\ndata: \{.*\}\n\n/);
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).toMatch(/content-type: text\/event-stream; charset=utf-8/);
    expect(text).toMatch(/cache-control: no-store, no-transform/);
    expect(text).toMatch(/x-accel-buffering: no/);
    expect(text).toMatch(/retry: 1000\n\n/);
    expect((await ask(port, { path: '/api/live', method: 'POST' })).status).toBe(405);
  });
});

describe('when it ends', () => {
  test('answers under way are finished, and say that they are the last', async () => {
    const { port, pages, listener, lines } = await listening();
    const begun = new EventEmitter();
    const finish = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(finish, 'now');
      begun.emit('page');
      await finished;
      res.end('whole page');
    };
    const started = once(begun, 'page');
    const page = ask(port, { path: '/slow' });
    await started;
    const closed = listener.close();
    finish.emit('now');
    expect(await page).toMatchObject({ status: 200, body: 'whole page', headers: { connection: 'close' } });
    await closed;
    expect(lines).toEqual([]);
  });

  test('streams, idle connections and those that sent nothing end at once', async () => {
    const { port, listener } = await listening();
    const [stream, idle, silent] = [await connectTo(port), await connectTo(port), await connectTo(port)];
    stream.socket.write('GET /api/live HTTP/1.1\r\nhost: a\r\n\r\n');
    idle.socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await stream.receives(/event: windows/);
    await idle.receives(/alive/);
    const begun = performance.now();
    await listener.close();
    expect(performance.now() - begun).toBeLessThan(1_000);
    await Promise.all([stream.closed, idle.closed, silent.closed]);
    expect(stream.received()).toMatch(/\r\n0\r\n\r\n$/);
  });

  test('a connection that is still busy hears that the node is not ready, and then it ends', async () => {
    const { port, pages, listener } = await listening();
    const { socket, receives, received, closed } = await connectTo(port);
    const progress = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(progress, 'finish');
      res.write('half ');
      await finished;
      res.end('whole');
    };
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await receives(/half/);
    const ended = listener.close();
    socket.write('GET /readyz HTTP/1.1\r\nhost: a\r\n\r\nGET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    pages.handle = async () => void progress.emit('finish');
    await ended;
    await closed;
    expect(received()).toMatch(/whole[\s\S]*HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"draining":true/);
  });

  test('an answer that does not come is cut off after 3 s', async () => {
    const { port, pages, listener } = await listening();
    const begun = new EventEmitter();
    const started = once(begun, 'page');
    pages.handle = () => {
      begun.emit('page');
      return new Promise(() => undefined);
    };
    const { socket, closed } = await connectTo(port);
    socket.write('GET /never HTTP/1.1\r\nhost: a\r\n\r\n');
    await started;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const ended = listener.close();
    vi.advanceTimersByTime(2_999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await Promise.all([ended, closed]);
  });

  test('a second call waits for the first, and a listener that never began ends too', async () => {
    const { listener: running } = await listening();
    await Promise.all([running.close(), running.close()]);
    await listener().listener.close();
  });

  test('no new connection is taken', async () => {
    const { port, listener } = await listening();
    await listener.close();
    await expect(ask(port, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('slow clients', () => {
  test('a head above 16 KiB is refused', async () => {
    const { port } = await listening();
    expect((await ask(port, { path: `/${'x'.repeat(17_000)}` })).status).toBe(431);
  });

  test('a client that offers an upgrade is answered as if it had not', async () => {
    const { port } = await listening();
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAAP__',
    };
    expect(await ask(port, { path: '/healthz', headers })).toMatchObject({ status: 200 });
  });
});

const env: ListenerEnv = {
  PORT: 0,
  HOST: '127.0.0.1',
  TRUSTED_PROXIES: [],
  FLOODGATE_DEMO: true,
  NODE_ENV: 'production',
};

interface Overrides {
  env?: Partial<ListenerEnv>;
  checks?: ListenerOptions['checks'];
}

function listener(overrides: Overrides = {}) {
  const lines: string[] = [];
  const pagePaths: string[] = [];
  const log = createLog({ level: 'info', stream: { write: (line: string) => lines.push(line) } });
  const pages = {
    async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
      pagePaths.push(req.url ?? '');
      res.end('page');
    },
    close: async () => undefined,
  };
  return {
    pages,
    pagePaths,
    lines,
    listener: createListener({
      env: { ...env, ...overrides.env },
      router: router({
        whoami: publicProcedure
          .use(unlimited)
          .query(({ ctx: { user, ip, language } }) => ({ user, ip, language })),
      }),
      limiter: openLimiter,
      sessions,
      log,
      metrics: createMetrics(),
      liveHub: createLiveHub({
        read: async () => ({ serverNow: 1, windows: [], rates: [], stock: [] }),
        log,
      }),
      checks: overrides.checks ?? { redis: async () => ({ ok: true, detail: 'answers' }) },
      pages,
    }),
  };
}

async function listening(overrides: Overrides = {}) {
  const made = listener(overrides);
  onTestFinished(() => made.listener.close());
  return { ...made, ...(await made.listener.listen()) };
}
