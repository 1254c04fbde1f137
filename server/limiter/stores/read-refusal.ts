import { connect } from 'node:net';

/** The address of a Redis without TLS. */
export interface RedisAddress {
  host?: string | undefined;
  port?: number | undefined;
  path?: string | undefined;
}

const TIMEOUT_MS = 500;

/**
 * Returns the error reply with which a Redis refuses new connections, such as DENIED in protected mode. Redis sends it
 * first and closes, so a client that sends first gets `write EPIPE` instead. `undefined` if Redis waits for a command.
 */
export function readRefusal(address: RedisAddress): Promise<string | undefined> {
  const { host = '127.0.0.1', port = 6379, path } = address;
  const socket = path === undefined ? connect(port, host) : connect(path);
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (data) => {
      text += data;
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text.startsWith('-') ? text.slice(1).trim() : undefined));
  });
}
