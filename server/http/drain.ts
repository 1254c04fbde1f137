import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';

/** Ends a server without cutting off requests that have reached it. */
export interface Drain {
  /** Whether the server is ending. */
  readonly isDraining: boolean;
  /** Registers an answer that is under way; call it first, with each request. */
  track(req: IncomingMessage, res: ServerResponse): void;
  /** Answers what has arrived, then closes all connections. Settles when all are closed. */
  close(): Promise<void>;
}

/** Answers that take longer are cut off: the whole process has 5 s to end. */
const DEADLINE_MS = 3_000;

/** Connections are accepted until no request has arrived for this long… */
const QUIET_MS = 100;
/** …and under steady load for this long. Then load balancers have met refused connections or a 503 of `/readyz`. */
const MAX_ACCEPT_MS = 1_000;

/** Time to empty the queue of the listening socket, which holds at most 511 connections. */
const MAX_LAST_ACCEPT_MS = 700;

/** A request follows the connection that was accepted for it within this time. */
const FIRST_BYTES_MS = 100;

/**
 * The order matters: closing a connection that has sent a request, or the listening socket while connections wait in its
 * queue, resets them. So the server first answers as before, with `Connection: close`, until requests cease. Then it stops
 * listening, waits for the requests of the last connections, and closes what is idle.
 */
export function createDrain(server: Server): Drain {
  /** Connections, each with the number of its answers under way: a client that pipelines has several. */
  const sockets = new Map<Socket, number>();
  const answers = new Set<ServerResponse>();
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let closing: Promise<void> | undefined;

  server.on('connection', (socket) => {
    sockets.set(socket, 0);
    socket.once('close', () => sockets.delete(socket));
  });

  async function drain(): Promise<void> {
    const startedAt = performance.now();
    const deadline = setTimeout(() => {
      for (const socket of sockets.keys()) socket.destroy();
    }, DEADLINE_MS);
    for (const res of answers) setConnectionClose(res);
    await waitForQuiet(startedAt + MAX_ACCEPT_MS);
    const { closed } = await acceptLast();
    if (sockets.size > 0) await sleep(FIRST_BYTES_MS);
    // Of a busy event loop, the timer comes before the poll that reads what has arrived meanwhile.
    await nextTick();
    isStopped = true;
    for (const [socket, underWay] of sockets) if (underWay === 0) socket.destroy();
    await closed.finally(() => clearTimeout(deadline));
  }

  /**
   * Accepts the connections that wait in the queue of the listening socket, and closes it when the queue is empty. Node
   * accepts one connection per tick of the event loop, so nothing is read meanwhile: under load, the requests of one tick
   * take long enough for the queue to grow.
   */
  async function acceptLast(): Promise<{ closed: Promise<void> }> {
    const until = performance.now() + MAX_LAST_ACCEPT_MS;
    const paused = new Set<Socket>();
    let isEmpty = false;
    const pause = (socket: Socket) => {
      if (!socket.isPaused()) paused.add(socket.pause());
    };
    const onConnection = (socket: Socket) => {
      isEmpty = false;
      // Node starts to read in a callback of its own.
      process.nextTick(pause, socket);
    };
    for (const socket of sockets.keys()) pause(socket);
    server.on('connection', onConnection);
    while (!isEmpty && performance.now() < until) {
      isEmpty = true;
      await nextTick();
    }
    const closed = stopListening(server);
    server.off('connection', onConnection);
    for (const socket of paused) socket.resume();
    return { closed };
  }

  async function waitForQuiet(until: number): Promise<void> {
    for (;;) {
      const waitMs = Math.min(lastRequestAt + QUIET_MS, until) - performance.now();
      if (waitMs <= 0) return;
      await sleep(waitMs);
    }
  }

  return {
    get isDraining() {
      return closing !== undefined;
    },
    track(req, res) {
      const { socket } = req;
      lastRequestAt = performance.now();
      answers.add(res);
      sockets.set(socket, (sockets.get(socket) ?? 0) + 1);
      if (closing) setConnectionClose(res);
      res.once('close', () => {
        answers.delete(res);
        const underWay = (sockets.get(socket) ?? 1) - 1;
        if (sockets.has(socket)) sockets.set(socket, underWay);
        // An answer whose head was sent before the drain began leaves its connection open.
        if (isStopped && underWay === 0) socket.end();
      });
    },
    close() {
      closing ??= drain();
      return closing;
    },
  };
}

/**
 * Stops accepting connections; settles when all are closed. `close()` of an HTTP server would also destroy connections
 * whose first request has not been read yet.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      // Ends the timer that checks for slow requests. The server itself is closed already.
      server.close(() => resolve());
    });
  });
}

/** Tells the client not to use this connection again. */
function setConnectionClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
