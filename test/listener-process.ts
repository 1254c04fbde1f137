/**
 * A process with the product's HTTP server, whose pages take 5 ms, and `/slow` a minute. It sends its port, and for each
 * message its CPU time (ms) and the size of its heap after a garbage collection, which needs `--expose-gc`. It stops like a
 * node.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestListener } from './listener';

const { listener, pages } = createTestListener();
pages.handle = async ({ url }, res) => {
  await sleep(url === '/slow' ? 60_000 : 5);
  res.end('page');
};
const { port } = await listener.listen();
process.on('SIGTERM', () => void listener.close().then(() => process.exit(0)));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  process.send?.({ cpuMs: (user + system) / 1_000, heapUsed: process.memoryUsage().heapUsed });
});
process.send?.(port);
