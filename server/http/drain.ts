import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { onRequestEnd } from '../limiter/index';

/** Ends a server without cutting off requests that have reached it. */
export interface Drain {
  /** True from the first call of `close`. */
  readonly isDraining: boolean;
  /**
   * Registers a request that is being answered. Call it first for each request. Returns false if the request must not be
   * answered: its connection is closed, or closes now because too many of its requests wait for their answers.
   */
  track(req: IncomingMessage, res: ServerResponse): boolean;
  /** Listens on a port. Rejects with the error of the socket. */
  listen(address: { host: string; port: number }): Promise<void>;
  /** Answers the requests that have arrived, then closes all connections. Resolves when all are closed. */
  close(): Promise<void>;
}

/** Slower answers are cut off, because the whole process has 5 s to stop. */
const DRAIN_TIMEOUT_MS = 3_000;

/** Connections are accepted until no request has arrived for this long, at most for `MAX_ACCEPT_MS`. */
const QUIET_MS = 100;
/** Maximum time for which connections are accepted. By then, load balancers have seen a 503 of `/readyz`. */
const MAX_ACCEPT_MS = 1_000;

/** Maximum time to empty the accept queue of the listening socket, which holds at most 511 connections. */
const MAX_LAST_ACCEPT_MS = 700;

/** Time in which the next request of an open connection arrives, also from a busy client. */
const NEXT_REQUEST_MS = 300;
/** Time in which the first request of a connection arrives that was accepted while draining, also on a busy machine. */
const FIRST_REQUEST_MS = 1_000;

/**
 * Maximum number of unanswered requests of one connection, about 45 kB of memory. Browsers send one request after the other,
 * load generators up to ten. Node itself would create all requests that it has read, up to 1,600 small ones.
 */
const MAX_PIPELINED = 10;

/**
 * Creates the drain of a server. The order of the steps prevents connection resets, which happen when a connection with an
 * unread request is closed, or the listening socket while connections are in its accept queue. First the server continues
 * to answer, with `Connection: close`, until no requests arrive. Then it stops listening, closes idle connections, and waits
 * up to a second for the requests of the connections that it accepted last.
 */
export function createDrain(server: Server): Drain {
  /**
   * Owns the listening socket, which the HTTP server shares. It stops accepting alone: the `close` of an HTTP server would also
   * destroy connections whose first request has not been read yet.
   */
  const door = createServer();
  /** The number of pending answers of each connection. A client that pipelines has several. */
  const sockets = new Map<Socket, number>();
  const answers = new Set<ServerResponse>();
  /** Connections that were accepted while draining and have sent no request yet. */
  const unused = new Set<Socket>();
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let closing: Promise<void> | undefined;

  server.on('connection', (socket) => {
    sockets.set(socket, 0);
    if (closing) unused.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      unused.delete(socket);
    });
  });

  async function drain(): Promise<void> {
    const startedAt = performance.now();
    const deadline = setTimeout(() => {
      for (const socket of sockets.keys()) socket.destroy();
    }, DRAIN_TIMEOUT_MS);
    for (const res of answers) setConnectionClose(res);
    await waitForQuiet(startedAt + MAX_ACCEPT_MS);
    const { closed } = await acceptLast();
    if (sockets.size > 0) await sleep(NEXT_REQUEST_MS);
    // When the event loop is busy, the timer runs before the poll phase that reads the requests that have arrived.
    await nextTick();
    isStopped = true;
    for (const [socket, underWay] of sockets) if (underWay === 0 && !unused.has(socket)) socket.destroy();
    void closeUnused();
    await closed.finally(() => clearTimeout(deadline));
  }

  /** Closes the last connections that send no request. */
  async function closeUnused(): Promise<void> {
    await sleep(FIRST_REQUEST_MS, undefined, { ref: false });
    await nextTick();
    for (const socket of unused) socket.destroy();
  }

  /**
   * Accepts the connections in the accept queue of the listening socket, and closes it when the queue is empty. Reading is
   * paused meanwhile, because Node accepts one connection per event-loop tick: under load, the requests of one tick take
   * long enough for the queue to grow.
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
      // Node starts reading in a later callback.
      process.nextTick(pause, socket);
    };
    for (const socket of sockets.keys()) pause(socket);
    server.on('connection', onConnection);
    while (!isEmpty && performance.now() < until) {
      isEmpty = true;
      await nextTick();
    }
    door.close();
    const closed = closeServer();
    server.off('connection', onConnection);
    for (const socket of paused) socket.resume();
    return { closed };
  }

  /** Closes the HTTP server when its last connection is closed. */
  async function closeServer(): Promise<void> {
    await Promise.all(
      Array.from(sockets.keys(), (socket) => new Promise((close) => socket.once('close', close))),
    );
    await new Promise((close) => server.close(close));
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
      const pending = sockets.get(socket) ?? 0;
      if (pending === MAX_PIPELINED) cutOff(socket);
      if (socket.destroyed) return false;
      lastRequestAt = performance.now();
      unused.delete(socket);
      answers.add(res);
      sockets.set(socket, pending + 1);
      if (closing) setConnectionClose(res);
      onRequestEnd(req, res, () => {
        answers.delete(res);
        closeUnsent(res);
        const underWay = (sockets.get(socket) ?? 1) - 1;
        if (sockets.has(socket)) sockets.set(socket, underWay);
        // An answer whose headers were sent before the drain keeps its connection open.
        if (isStopped && underWay === 0) socket.end();
      });
      return true;
    },
    async listen(address) {
      door.listen(address);
      await once(door, 'listening');
      server.listen(door);
    },
    close() {
      closing ??= drain();
      return closing;
    },
  };
}

/**
 * Closes a connection and discards the requests that were read but not parsed. Without the undocumented result 2, which ends
 * the parsing as after an upgrade, Node would create them all.
 */
function cutOff(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } };
  if (parser) parser.onIncoming = () => 2;
  socket.destroy();
}

/**
 * Closes a response that never got its socket, because the connection ended before. Node does not, and Next, the streams of
 * files and the live streams wait for `close`.
 */
function closeUnsent(res: ServerResponse): void {
  if (res.socket || res.closed) return;
  res.destroy();
  res.emit('close');
}

/** Sends `Connection: close`, so that the client does not reuse the connection. */
function setConnectionClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
