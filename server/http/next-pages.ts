import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { constants } from 'node:zlib';
import compression from 'compression';
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

/** Express's type of a middleware, of which this one needs only what Node's server has. */
type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * With Brotli at level 7, the HTML of the sale needs no second round trip on a new connection; that of gzip is larger. The
 * window of 64 kB keeps the memory of a response small.
 */
const BROTLI_PARAMS = {
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  [constants.BROTLI_PARAM_QUALITY]: 7,
  [constants.BROTLI_PARAM_LGWIN]: 16,
};

/** Prepares Next.js to render pages behind the listener. */
export async function createNextPages({ dev, dir, hostname, port }: NextPagesOptions): Promise<Pages> {
  // Next adds an `upgrade` handler to its server. That handler would disconnect every client that offers an upgrade
  // (`h2c`). So Next gets a server that never listens, and the function below passes hot reload to it.
  const upgrades = createServer();
  const app = next({ dev, dir, hostname, port, quiet: !dev, httpServer: upgrades });
  await app.prepare();
  const handle = app.getRequestHandler();
  const compress = compression({ brotli: { params: BROTLI_PARAMS } }) as Middleware;
  return {
    handle: (req, res) =>
      new Promise((resolve, reject) => compress(req, res, () => handle(req, res).then(resolve, reject))),
    close: () => app.close(),
    ...(dev ? { upgrade } : { staticDir: join(dir, '.next', 'static') }),
  };

  function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!upgrades.emit('upgrade', req, socket, head)) socket.destroy();
  }
}
