/** An empty page of the same Next.js, for `npm run lighthouse`. */
import { createServer } from 'node:http';
import next from 'next';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { serveTasks } from '../harness/tasks';

const server = createServer();
const app = next({ dev: false, dir: 'bench/next-app', quiet: true, httpServer: server });
await app.prepare();
const handle = app.getRequestHandler();
server.on('request', (req, res) => void handle(req, res));
serveTasks({}, { port: await listenOnFreePort(server) });
