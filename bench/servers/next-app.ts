import { createServer } from 'node:http';
import next from 'next';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';

/** Serves the built application of bench/next-app. Returns its port. */
export async function serveNextApp(): Promise<number> {
  const server = createServer();
  const app = next({ dev: false, dir: 'bench/next-app', quiet: true, httpServer: server });
  await app.prepare();
  const handle = app.getRequestHandler();
  server.on('request', (req, res) => void handle(req, res));
  return listenOnFreePort(server);
}
