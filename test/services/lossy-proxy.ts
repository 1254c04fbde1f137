import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../listen-locally';

/** A proxy of a store that can drop replies. */
export interface LossyProxy {
  url: string;
  /** Drops later replies, while commands still arrive. A connection closes at its first dropped reply. */
  loseReplies(): void;
  /** Forwards replies on later connections again. */
  restoreReplies(): void;
  /** Closes all connections and the proxy. */
  stop(): void;
}

/** Starts a proxy in front of the Redis at `url`. */
export async function startLossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isLosingReplies = false;
  const server = createServer((client) => {
    const store = connect(Number(target.port), target.hostname);
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Either side may close first, which closes the other side.
      socket.on('error', () => socket.destroy());
    }
    client.pipe(store);
    store.on('data', (reply: Buffer) => {
      if (isLosingReplies) client.destroy();
      else client.write(reply);
    });
    store.on('close', () => client.destroy());
    client.on('close', () => store.destroy());
  });
  const port = await listenLocally(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    loseReplies() {
      isLosingReplies = true;
    },
    restoreReplies() {
      isLosingReplies = false;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
