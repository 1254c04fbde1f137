import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openConnection, sendRequest, startHttpServer } from '../../test/http-server';
import { waitUntil } from '../../test/wait-until';
import { createStaticFiles } from './static-files';

const SCRIPT = '/_next/static/chunks/main-abc.js';

test('a built file is immutable for a year', async () => {
  const { port } = await files();
  const answer = await sendRequest(port, { path: SCRIPT });
  expect(answer).toMatchObject({ status: 200, body: 'plain' });
  expect(answer.headers).toMatchObject({
    'cache-control': 'public,max-age=31536000,immutable',
    'content-type': 'text/javascript',
    vary: 'Accept-Encoding',
  });
  const again = await sendRequest(port, {
    path: SCRIPT,
    headers: { 'if-none-match': answer.headers.etag ?? '' },
  });
  expect(again).toMatchObject({ status: 304, body: '' });
});

test.each([
  ['br, gzip', 'br', 'as brotli'],
  ['gzip, deflate', 'gzip', 'as gzip'],
  ['deflate', undefined, 'plain'],
])('a client that reads %s gets %s', async (accepted, encoding, body) => {
  const { port } = await files();
  const answer = await sendRequest(port, { path: SCRIPT, headers: { 'accept-encoding': accepted } });
  expect(answer).toMatchObject({ status: 200, body });
  expect(answer.headers['content-encoding']).toBe(encoding);
});

test.each([
  '/_next/static/unknown.js',
  '/_next/static/',
  '/_next/static/../secret.txt',
  '/_next/static/%2e%2e/secret.txt',
  '/_next/static/..%2fsecret.txt',
  '/_next/static/chunks/../../secret.txt',
  '/_next/static/%E0%A4%A',
])('%s is not found', async (path) => {
  const { port } = await files();
  expect((await sendRequest(port, { path })).status).toBe(404);
});

test('any range gets the whole file', async () => {
  const { port } = await files();
  for (const range of ['bytes=3-1', 'bytes=-1', 'bytes=99-', 'x']) {
    expect(await sendRequest(port, { path: SCRIPT, headers: { range } })).toMatchObject({
      status: 200,
      body: 'plain',
    });
  }
});

test('files accept only GET and HEAD', async () => {
  const { port } = await files();
  expect((await sendRequest(port, { path: SCRIPT, method: 'POST', body: 'x' })).status).toBe(405);
});

test('a file that a later build deleted cuts off only its own answer', async () => {
  const { port, dir } = await files();
  rmSync(join(dir, 'chunks'), { recursive: true });
  await expect(sendRequest(port, { path: SCRIPT })).rejects.toThrow(/aborted|hang up/);
  expect((await sendRequest(port, { path: '/_next/static/unknown.js' })).status).toBe(404);
});

test('files are closed when their client disconnects, also those that wait behind another', async () => {
  const { dir } = await files();
  writeFileSync(join(dir, 'chunks', 'large.js'), Buffer.alloc(16 * 1024 * 1024));
  const serve = createStaticFiles({ dir });
  const opened: Readable[] = [];
  const { port } = await startHttpServer((req, res) => {
    res.once('pipe', (file) => opened.push(file));
    serve(req, res);
  });
  const { socket } = await openConnection(port);
  socket.pause();
  socket.write('GET /_next/static/chunks/large.js HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
  await waitUntil(() => opened.length === 2);
  const closed = Promise.all(opened.map((file) => once(file, 'close')));
  socket.destroy();
  await closed;
});

async function files() {
  const root = mkdtempSync(join(tmpdir(), 'floodgate-static-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, 'static');
  mkdirSync(join(dir, 'chunks'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(dir, 'chunks', 'main-abc.js'), 'plain');
  writeFileSync(join(dir, 'chunks', 'main-abc.js.br'), 'as brotli');
  writeFileSync(join(dir, 'chunks', 'main-abc.js.gz'), 'as gzip');
  return { dir, ...(await startHttpServer(createStaticFiles({ dir }))) };
}
