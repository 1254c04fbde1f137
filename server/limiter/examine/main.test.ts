import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../scripts/lib/processes.mjs';

/** Nothing listens there. */
const url = 'http://127.0.0.1:65530/api';
const examine = (...args: string[]) =>
  runCommand(process.execPath, ['--import', 'tsx', 'server/limiter/examine/main.ts', ...args]);

test.each([
  [[], /^Usage: /],
  [['--help'], /^Usage: /],
  [['examine', url, '--maxlimit', '5'], /^Unknown option '--maxlimit'/],
  [['examine', 'ftp://127.0.0.1/'], /^ftp:\/\/127\.0\.0\.1\/ is no URL/],
  [['examine', 'http://192.0.2.7/'], /^192\.0\.2\.7 is not this machine.*--mine/],
  [['examine', url, '--header', 'x'], /^--header is x\. Use 'Name: value'/],
  [['examine', url, '--window', '0'], /^--window is 0\. Use a number above 0/],
  [['examine', url, '--html', '/no-such-folder/a.html'], /^ENOENT.*'\/no-such-folder\/a\.html'/],
  [['examine', url], /The server cannot be examined: fetch failed: .+ECONNREFUSED/],
])('ends before a report, and names the cause: %j', async (args, message) => {
  const { code, output } = await examine(...args);
  expect(code).toBe(1);
  expect(output).toMatch(message);
});

test('a route that never refuses has no limit, and the message has its status', async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((onListening) => server.listen(0, '127.0.0.1', onListening));
  onTestFinished(() => void server.close());
  const { port } = Object(server.address());
  const { code, output } = await examine('examine', `http://127.0.0.1:${port}/`, '--max-limit', '20');
  expect(code).toBe(1);
  expect(output).toContain('No call of 20 was refused; the last was answered 404.');
});
