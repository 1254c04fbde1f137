import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Ends a server without cutting off what it has begun to answer. */
export interface Drain {
  /** Whether the server is ending. */
  readonly draining: boolean;
  /** Takes note of an answer that is under way; call it first, with each request. */
  track(req: IncomingMessage, res: ServerResponse): void;
  /** Accepts no more connections, lets answers finish, closes what is idle. Settles when all is closed. */
  close(): Promise<void>;
}

/** Whoever is not answered by then is cut off: the whole process has 5 s to end. */
const DEADLINE_MS = 3_000;

/**
 * Node's own `close()` waits for connections that have sent nothing yet (browsers open such ahead of need) as long as
 * it waits for headers, so connections are counted here: one without an answer under way is idle.
 */
export function createDrain(server: Server): Drain {
  const sockets = new Set<Socket>();
  /** Answers under way; a client that pipelines has several on one connection. */
  const answers = new Map<ServerResponse, Socket>();
  let closing: Promise<void> | undefined;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function begin(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const res of answers.keys()) sayLast(res);
    const busy = new Set(answers.values());
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    const deadline = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, DEADLINE_MS);
    return closed.finally(() => clearTimeout(deadline));
  }

  return {
    get draining() {
      return closing !== undefined;
    },
    track(req, res) {
      const { socket } = req;
      answers.set(res, socket);
      if (closing) sayLast(res);
      res.once('close', () => {
        answers.delete(res);
        // An answer whose head went out before the end was announced leaves its connection open.
        if (closing && ![...answers.values()].includes(socket)) socket.end();
      });
    },
    close() {
      closing ??= begin();
      return closing;
    },
  };
}

/** Tells the client not to use this connection again. */
function sayLast(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
