import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address that leads to one Redis and later to another, as after a failover. */
export interface SwitchableProxy {
  url: string;
  /** Cuts every connection; new ones lead there. */
  switchTo(url: string): void;
}

/** Leads to the Redis at `url`, until it is turned or the test is over. */
export async function startSwitchableProxy(url: string): Promise<SwitchableProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const store = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(socket);
      // Either side may go first; the other learns of it by being closed.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(store).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    cutAll();
    server.close();
  });
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    switchTo(next) {
      target = new URL(next);
      cutAll();
    },
  };
}
