import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openConnection, sendRequest } from '../../test/http-server';
import { startTestListener } from '../../test/listener';
import { waitUntil } from '../../test/wait-until';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** Starts the server with a page `/slow` that does not answer. The others answer at once. */
async function startServer(options: Parameters<typeof startTestListener>[0] = {}) {
  const started = await startTestListener(options);
  const waiting: ServerResponse[] = [];
  started.pages.handle = async ({ url }, res) => {
    if (url === '/slow') waiting.push(res);
    else res.end(`page ${url}`);
  };
  return { ...started, waiting };
}

test('ten requests that wait behind each other are answered in their order', async () => {
  const { port, waiting } = await startServer();
  const { socket, waitForText } = await openConnection(port);
  const pages = Array.from({ length: 9 }, (_, index) => `/${index}.`);
  socket.write(get('/slow') + pages.map(get).join(''));
  await waitUntil(() => waiting.length === 1);
  waiting[0]?.end('slow');
  const text = await waitForText(/page \/8\./);
  expect(text.match(/slow$|page \/\d+\./gm)).toEqual(pages.map((path) => `page ${path}`));
});

test('the eleventh closes the connection, and no page is rendered', async () => {
  const { port, pages, pagePaths } = await startTestListener();
  pages.handle = async ({ url }) => void pagePaths.push(url ?? '');
  const { socket, closed, received } = await openConnection(port);
  socket.write(get('/page').repeat(200));
  await closed;
  expect([received(), pagePaths]).toEqual(['', []]);
  expect((await sendRequest(port, { path: '/healthz' })).status).toBe(200);
});

test('all responses of a connection close with it', async () => {
  const { port, waiting } = await startServer();
  const { socket } = await openConnection(port);
  socket.write(get('/slow').repeat(3));
  await waitUntil(() => waiting.length === 3);
  const closed = Promise.all(waiting.map((res) => once(res, 'close')));
  socket.destroy();
  await closed;
  expect(waiting.map((res) => res.destroyed)).toEqual([true, true, true]);
});

test('live streams of a connection free their slots with it', async () => {
  const { port, waiting } = await startServer({ env: { LIVE_STREAMS_PER_ADDRESS: 2 } });
  const { socket } = await openConnection(port);
  socket.write(get('/slow') + get('/api/live').repeat(2));
  await waitUntil(() => waiting.length === 1);
  expect((await sendRequest(port, { path: '/api/live' })).status).toBe(429);
  socket.destroy();
  await waitUntil(async () => {
    const { socket: next, waitForText } = await openConnection(port);
    next.write(get('/api/live'));
    const text = await waitForText(/event: windows|429/);
    next.destroy();
    return text.includes('event: windows');
  });
});
