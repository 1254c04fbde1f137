/** The yardstick: a bare Node HTTP server. */
import { createServer } from 'node:http';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { serverTasks, serveTasks } from '../harness/tasks';

const server = createServer((_req, res) => {
  res.end('ok');
});
serveTasks(serverTasks, { port: await listenOnFreePort(server) });
