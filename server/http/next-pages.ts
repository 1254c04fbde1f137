import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import next from 'next';

/** The renderer of the pages. */
export interface Pages {
  /** Answers a request that matches none of the listener's own routes. Unknown paths get a 404 page. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Handles a web socket: hot reload, in development only. */
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The folder of built files that the listener serves itself. Absent in development. */
  staticDir?: string;
  close(): Promise<void>;
}

export interface NextPagesOptions {
  /** Compiles pages on demand and reloads them. If false, `.next` must have been built. */
  dev: boolean;
  /** The root folder of the project. */
  dir: string;
  /** Development only: the host for browsers. Other hosts cannot use hot reload. */
  hostname?: string;
  port?: number;
}

/** Prepares Next.js to render pages behind the listener. */
export async function createNextPages({ dev, dir, hostname, port }: NextPagesOptions): Promise<Pages> {
  // Next adds an `upgrade` handler to its server. That handler would disconnect every client that offers an upgrade
  // (`h2c`). So Next gets a server that never listens, and the function below passes hot reload to it.
  const upgrades = createServer();
  const app = next({ dev, dir, hostname, port, quiet: !dev, httpServer: upgrades });
  await app.prepare();
  const handle = app.getRequestHandler();
  return {
    handle: (req, res) => handle(req, res),
    close: () => app.close(),
    ...(dev ? { upgrade } : { staticDir: join(dir, '.next', 'static') }),
  };

  function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!upgrades.emit('upgrade', req, socket, head)) socket.destroy();
  }
}
