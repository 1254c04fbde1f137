/** The yardstick: a bare Node HTTP server. */
import { createServer } from 'node:http';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { reportCpu } from './report-cpu.mjs';

const server = createServer((_req, res) => {
  res.end('ok');
});
reportCpu({ port: await listenOnFreePort(server) });
