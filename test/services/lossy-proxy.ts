import { connect, createServer, type Socket } from 'node:net';

/** A way to a store on which replies can get lost. */
export interface LossyProxy {
  url: string;
  /** From now on commands arrive and their replies do not; connections break with the first reply lost. */
  loseReplies(): void;
  /** Connections made from now on are whole again. */
  restoreReplies(): void;
  /** Cuts every connection and takes no more. */
  stop(): void;
}

/** Stands between a client and the Redis at `url`, until it is stopped. */
export async function startLossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let losing = false;
  const server = createServer((client) => {
    const store = connect(Number(target.port), target.hostname);
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Either side may go first; the other learns of it by being closed.
      socket.on('error', () => socket.destroy());
    }
    client.pipe(store);
    store.on('data', (reply: Buffer) => {
      if (losing) client.destroy();
      else client.write(reply);
    });
    store.on('close', () => client.destroy());
    client.on('close', () => store.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseReplies() {
      losing = true;
    },
    restoreReplies() {
      losing = false;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
