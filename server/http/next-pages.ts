import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import next from 'next';

/** Whatever renders the pages. */
export interface Pages {
  /** Answers a request that is for none of the listener's own routes; unknown paths with a 404 page. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Takes a web socket over: hot reload, in development only. */
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The folder of built files that the listener serves by itself; absent in development. */
  staticDir?: string;
  close(): Promise<void>;
}

export interface NextPagesOptions {
  /** Compiles pages on demand and reloads them; else `.next` must have been built. */
  dev: boolean;
  /** The project's root. */
  dir: string;
  /** Development only: where browsers reach the server; other hosts may not use hot reload. */
  hostname?: string;
  port?: number;
}

/** Prepares Next.js to render pages behind the listener. */
export async function createNextPages({ dev, dir, hostname, port }: NextPagesOptions): Promise<Pages> {
  // Next puts an `upgrade` handler on the server that it is told of, and with one any client that merely offers an
  // upgrade (`h2c`) would be cut off. It gets a server that never listens; hot reload is handed over below.
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
