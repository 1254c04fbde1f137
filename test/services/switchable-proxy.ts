import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenLocally } from '../listen-locally';

/** A proxy whose target can change, as after a failover. */
export interface SwitchableProxy {
  url: string;
  /** Closes all connections. Later ones go to `url`. */
  switchTo(url: string): void;
}

/** Starts a proxy of the Redis at `url`. It ends with the test. */
export async function startSwitchableProxy(url: string): Promise<SwitchableProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const store = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(socket);
      // Either side may close first, which closes the other side.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(store).pipe(client);
  });
  const port = await listenLocally(server);
  onTestFinished(() => {
    closeAll();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    switchTo(next) {
      target = new URL(next);
      closeAll();
    },
  };
}
