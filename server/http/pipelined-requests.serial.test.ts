import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openConnection, sendRequest } from '../../test/http-server';

const CONNECTIONS = 450;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const requests = get('/slow') + get('/healthz').repeat(200);

test('450 connections with 201 pipelined requests each leave a node with a heap of 256 MB alive and fast', async () => {
  const execArgv = ['--import', 'tsx', '--max-old-space-size=256', '--expose-gc'];
  const node = fork('test/listener-process.ts', { execArgv });
  onTestFinished(() => void node.kill('SIGKILL'));
  const [port] = await once(node, 'message');
  const measure = async () => {
    node.send('measure');
    const [measured] = await once(node, 'message');
    return measured as { cpuMs: number; heapUsed: number };
  };
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(port)));
  await Promise.all(
    connections.map(({ socket }) => new Promise((resolve) => socket.write(requests, resolve))),
  );
  const before = await measure();
  for (const { socket } of connections) socket.destroy();
  expect((await sendRequest(port, { path: '/healthz' })).status).toBe(200);
  const { cpuMs, heapUsed } = await measure();
  // The answer waits for the work on all connections. Waiting for a busy CPU does not count.
  expect(cpuMs - before.cpuMs).toBeLessThan(1_000);
  expect(heapUsed).toBeLessThan(120e6);
  expect(node.exitCode).toBeNull();
});
