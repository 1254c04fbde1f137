/** A process with the product's HTTP server, whose pages take 5 ms. It sends its port and stops like a node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestListener } from './listener';

const { listener, pages } = createTestListener();
pages.handle = async (_req, res) => {
  await sleep(5);
  res.end('page');
};
const { port } = await listener.listen();
process.on('SIGTERM', () => void listener.close().then(() => process.exit(0)));
process.send?.(port);
