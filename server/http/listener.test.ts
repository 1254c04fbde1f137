import { describe, expect, test } from 'vitest';
import { openConnection, sendRequest } from '../../test/http-server';
import { createTestListener, sessions, startTestListener } from '../../test/listener';
import { StartError } from '../errors';
import type { PageRequests } from './page-requests';

const ANN = { id: 'u1', name: 'Ann', role: 'shopper' } as const;

describe('each path finds its answer', () => {
  test('procedures, without a page request', async () => {
    const { port, pagePaths } = await startTestListener();
    expect(await sendRequest(port, { path: '/api/trpc/whoami' })).toMatchObject({ status: 200 });
    expect((await sendRequest(port, { path: '/api/trpc' })).status).toBe(404);
    expect((await sendRequest(port, { path: '/api/trpc/' })).status).toBe(404);
    expect(pagePaths).toEqual([]);
  });

  test('health, readiness and metrics', async () => {
    const { port } = await startTestListener();
    expect(await sendRequest(port, { path: '/healthz' })).toMatchObject({
      status: 200,
      body: '{"alive":true}',
    });
    expect(await sendRequest(port, { path: '/readyz?probe=1' })).toMatchObject({
      status: 200,
      body: '{"ready":true,"dependencies":{"redis":{"ok":true,"detail":"answers"}}}',
    });
    const metrics = await sendRequest(port, { path: '/metrics' });
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.body).toContain('floodgate_live_viewers 0');
  });

  test('readiness has no findings: its body is guaranteed', async () => {
    const findings = [{ code: 'answers' as const }];
    const { port } = await startTestListener({
      checks: { redis: async () => ({ ok: true, detail: 'answers', findings }) },
    });
    expect((await sendRequest(port, { path: '/readyz' })).body).toBe(
      '{"ready":true,"dependencies":{"redis":{"ok":true,"detail":"answers"}}}',
    );
  });

  test('readiness is 503 while a needed dependency is down', async () => {
    const { port } = await startTestListener({
      checks: { redis: async () => ({ ok: false, detail: 'away' }) },
    });
    expect(await sendRequest(port, { path: '/readyz' })).toMatchObject({ status: 503 });
    expect(await sendRequest(port, { path: '/healthz' })).toMatchObject({ status: 200 });
  });

  test('the description of the API, which another site may read', async () => {
    const { port } = await startTestListener();
    const { status, headers, body } = await sendRequest(port, { path: '/openapi.json' });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.1', paths: expect.anything() });
    expect((await sendRequest(port, { path: '/openapi.json', method: 'POST' })).status).toBe(405);
  });

  test('all other paths are pages', async () => {
    const { port, pagePaths } = await startTestListener();
    for (const path of ['/', '/wallet?tab=1', '/api/other', '/healthz/x', '/_next/static/x.js']) {
      expect((await sendRequest(port, { path })).body).toMatch(/^page/);
    }
    expect(pagePaths).toEqual(['/', '/wallet?tab=1', '/api/other', '/healthz/x', '/_next/static/x.js']);
  });

  test('requests that would make Next fail are refused', async () => {
    const { port, pagePaths } = await startTestListener();
    expect(await sendRequest(port, { path: '/', method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD', 'x-content-type-options': 'nosniff', 'content-type': 'text/plain' },
    });
    expect((await sendRequest(port, { path: '/', headers: { 'next-action': 'x' } })).status).toBe(404);
    expect((await sendRequest(port, { path: '/', headers: { 'next-router-state-tree': 'x' } })).status).toBe(
      400,
    );
    expect(pagePaths).toEqual([]);
    expect((await sendRequest(port, { path: '/merchants/%FF?lang=zh' })).body).toBe('page');
    expect(pagePaths).toEqual(['/_not-found?lang=zh']);
  });

  test('a request target for proxies is refused', async () => {
    const { port } = await startTestListener();
    expect((await sendRequest(port, { path: 'http://evil.example/' })).status).toBe(400);
    expect((await sendRequest(port, { path: '*', method: 'OPTIONS' })).status).toBe(400);
  });
});

describe('the caller is known', () => {
  const whoami = { path: '/api/trpc/whoami' };

  test('by session, address and language, in a procedure', async () => {
    const { port } = await startTestListener({ env: { TRUSTED_PROXIES: ['127.0.0.1'] } });
    const headers = {
      cookie: `${sessions.createCookieHeader(ANN)}; lang=zh`,
      'x-forwarded-for': '198.51.100.1, 203.0.113.9',
    };
    const { body } = await sendRequest(port, { ...whoami, headers });
    expect(JSON.parse(body).result.data).toEqual({ user: ANN, ip: '203.0.113.9', language: 'zh' });
  });

  test('and the same on a page, with the nonce of its policy', async () => {
    const { port, pages } = await startTestListener();
    pages.handle = async (req, res) => {
      const seam: PageRequests<{ whoami(): Promise<object> }> = Reflect.get(
        globalThis,
        Symbol.for('floodgate'),
      );
      const policy = req.headers['content-security-policy'];
      res.end(JSON.stringify({ ...seam.request(), called: await seam.caller().whoami(), policy }));
    };
    const forged = { 'content-security-policy': "script-src 'nonce-evil'" };
    const answer = await sendRequest(port, {
      path: '/?lang=zh',
      headers: { cookie: sessions.createCookieHeader(ANN), ...forged },
    });
    const page = JSON.parse(answer.body);
    expect(page).toMatchObject({ user: ANN, language: 'zh', demo: true });
    expect(page.called).toEqual({ user: ANN, ip: '127.0.0.1', language: 'zh' });
    expect(page.policy).toContain(`'nonce-${page.nonce}' 'strict-dynamic'`);
    expect(answer.headers['content-security-policy']).toBe(page.policy);
  });

  test('?lang is stored in a cookie', async () => {
    const { port } = await startTestListener();
    expect((await sendRequest(port, { path: '/?lang=zh' })).headers['set-cookie']).toEqual([
      'lang=zh; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect((await sendRequest(port, { path: '/' })).headers['set-cookie']).toBeUndefined();
  });

  test('two pages never share a nonce', async () => {
    const { port } = await startTestListener();
    const [one, other] = [await sendRequest(port, { path: '/' }), await sendRequest(port, { path: '/' })];
    expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
  });
});

describe('a server on a loopback address answers to loopback names only', () => {
  const healthz = (host: string) => ({ path: '/healthz', headers: { host } });

  test('without a public origin, because a foreign site can resolve its name to this address', async () => {
    const { port } = await startTestListener();
    expect(await sendRequest(port, healthz('evil.example'))).toMatchObject({
      status: 421,
      headers: { 'x-content-type-options': 'nosniff' },
    });
    for (const path of ['/', '/api/trpc/whoami', '/_next/static/x.js']) {
      expect(
        (await sendRequest(port, { path, headers: { host: `evil.example:${port}` } })).status,
        path,
      ).toBe(421);
    }
    expect((await sendRequest(port, healthz('localhost'))).status).toBe(200);
    const { socket, waitForText } = await openConnection(port);
    socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    await waitForText(/^HTTP\/1\.1 200/);
  });

  test('with a public origin it answers to any name that its proxy sends', async () => {
    const { port } = await startTestListener({ env: { PUBLIC_ORIGIN: 'https://sale.example.com' } });
    expect((await sendRequest(port, healthz('sale.example.com'))).status).toBe(200);
  });

  test('a server on every address answers to any name', async () => {
    const { port } = await startTestListener({ env: { HOST: '0.0.0.0' } });
    expect((await sendRequest(port, healthz('sale.lan'))).status).toBe(200);
  });
});

describe('security headers', () => {
  test('answers of the API are not stored and not rendered', async () => {
    const { port } = await startTestListener();
    for (const path of ['/api/trpc/whoami', '/api/trpc/nothing', '/healthz', '/readyz', '/metrics']) {
      expect((await sendRequest(port, { path })).headers, path).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  test('HSTS is sent if the public origin is https', async () => {
    const { port } = await startTestListener({ env: { PUBLIC_ORIGIN: 'https://sale.example.com' } });
    const { headers } = await sendRequest(port, { path: '/?lang=en' });
    expect(headers['strict-transport-security']).toBeDefined();
    expect(headers['set-cookie']?.[0]).toContain('Secure');
  });
});

describe('a failure', () => {
  test('in a page, before its headers are sent, is a logged 500', async () => {
    const { port, pages, lines } = await startTestListener();
    pages.handle = async () => Promise.reject(new Error('a bug'));
    expect(await sendRequest(port, { path: '/x?secret=1' })).toMatchObject({
      status: 500,
      body: 'Something went wrong.',
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'A request failed.', path: '/x' }]);
  });

  test('inside Next is logged by its status', async () => {
    const { port, pages, lines } = await startTestListener();
    pages.handle = async (_req, res) => void res.writeHead(500).end('broken');
    await sendRequest(port, { path: '/x?secret=1' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'A page failed.', path: '/x', status: 500 },
    ]);
  });

  test('is logged with the first 200 characters of its path', async () => {
    const { port, pages, lines } = await startTestListener();
    pages.handle = async (_req, res) => void res.writeHead(500).end('broken');
    await sendRequest(port, { path: `/${'x'.repeat(15_000)}` });
    pages.handle = async () => Promise.reject(new Error('a bug'));
    await sendRequest(port, { path: `/${'x'.repeat(15_000)}` });
    const path = `/${'x'.repeat(199)}…`;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'A page failed.', path },
      { msg: 'A request failed.', path },
    ]);
  });

  test('during an answer cuts the answer off', async () => {
    const { port, pages } = await startTestListener();
    pages.handle = async (_req, res) => {
      res.write('half');
      throw new Error('a bug');
    };
    await expect(sendRequest(port, { path: '/' })).rejects.toThrow(/aborted|hang up/);
  });

  test('of a port in use names the port and the fix', async () => {
    const { port } = await startTestListener();
    const second = createTestListener({ env: { PORT: port } }).listener;
    await expect(second.listen()).rejects.toThrow(
      new StartError(
        `Port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port: PORT=${port + 1}`,
        {
          cause: undefined,
        },
      ),
    );
    await second.close();
  });

  test('of an address of another machine names the address', async () => {
    const { listener: elsewhere } = createTestListener({ env: { HOST: '192.0.2.5' } });
    await expect(elsewhere.listen()).rejects.toThrow('192.0.2.5 is not an address of this machine');
    await elsewhere.close();
  });
});

test('the listener on IPv6 prints a URL that a browser on this machine can open', async () => {
  const { url } = await startTestListener({ env: { HOST: '::1' } });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

describe('the live stream', () => {
  test('starts immediately, is never buffered by a proxy, and accepts only GET', async () => {
    const { port } = await startTestListener();
    const { socket, waitForText } = await openConnection(port);
    socket.write('GET /api/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const text = await waitForText(/event: windows\ndata: \{.*\}\n\n/);
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).toMatch(/content-type: text\/event-stream; charset=utf-8/);
    expect(text).toMatch(/cache-control: no-store, no-transform/);
    expect(text).toMatch(/x-accel-buffering: no/);
    expect(text).toMatch(/retry: 1000\n\n/);
    expect((await sendRequest(port, { path: '/api/live', method: 'POST' })).status).toBe(405);
  });
});

describe('slow clients', () => {
  test('a head above 16 KiB is refused', async () => {
    const { port } = await startTestListener();
    expect((await sendRequest(port, { path: `/${'x'.repeat(17_000)}` })).status).toBe(431);
  });

  test('a client that offers an upgrade gets a normal answer', async () => {
    const { port } = await startTestListener();
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAAP__',
    };
    expect(await sendRequest(port, { path: '/healthz', headers })).toMatchObject({ status: 200 });
  });
});
