/** The yardstick: a bare Node HTTP server. */
import { createServer } from 'node:http';
import { reportCpu } from './report-cpu.mjs';

const server = createServer((_req, res) => {
  res.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  reportCpu({ port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
});
