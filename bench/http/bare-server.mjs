/** The yardstick: the least that Node can answer over HTTP. */
import { createServer } from 'node:http';
import { tellCpu } from './tell-cpu.mjs';

const server = createServer((_req, res) => {
  res.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tellCpu({ port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
});
