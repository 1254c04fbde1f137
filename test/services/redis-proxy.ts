import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';

/** A proxy of a Redis that can drop replies and change its target. */
export interface RedisProxy {
  url: string;
  /** Drops later replies, while commands still arrive. A connection closes at its first dropped reply. */
  loseReplies(): void;
  /** Forwards replies on later connections again. */
  restoreReplies(): void;
  /** Closes all connections, as in a failover. Later ones go to `url`. */
  switchTo(url: string): void;
  /** Drops everything on the present connections, and leaves them open, as a host that is lost does. Later ones work. */
  freeze(): void;
  /** Later connections go to `url`. The present ones stay, as after a change of a name in DNS. */
  moveTo(url: string): void;
  /** Closes all connections and the proxy. */
  stop(): void;
}

/** Starts a proxy in front of the Redis at `url`. `delayMs`: the time of each way; default: 0. */
export async function startRedisProxy(
  url: string,
  { delayMs = 0 }: { delayMs?: number } = {},
): Promise<RedisProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let isLosingReplies = false;
  const server = createServer((client) => {
    const store = connect(Number(target.port), target.hostname);
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Either side may close first, which closes the other side.
      socket.on('error', () => socket.destroy());
    }
    client.on('data', (command: Buffer) => {
      if (!frozen.has(client)) send(store, command);
    });
    store.on('data', (reply: Buffer) => {
      if (frozen.has(store)) return;
      if (isLosingReplies) client.destroy();
      else send(client, reply);
    });
    store.on('close', () => client.destroy());
    client.on('close', () => store.destroy());
  });
  // Timers of one length keep their order.
  const send = (socket: Socket, data: Buffer) =>
    delayMs > 0 ? setTimeout(() => socket.write(data), delayMs) : socket.write(data);
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await listenOnFreePort(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    loseReplies() {
      isLosingReplies = true;
    },
    restoreReplies() {
      isLosingReplies = false;
    },
    switchTo(next) {
      target = new URL(next);
      closeConnections();
    },
    freeze() {
      for (const socket of sockets) frozen.add(socket);
    },
    moveTo(next) {
      target = new URL(next);
    },
    stop() {
      closeConnections();
      server.close();
    },
  };
}
