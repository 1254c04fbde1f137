import { connect } from 'node:net';

/** An error reply begins with a code of capitals. No error of a client and no system error has such a text. */
const REPLY_CODE = /^-?([A-Z]{2}[A-Z0-9_]*)(?: |$)/;

/**
 * Returns the code of an error reply of Redis, or `undefined` for any other error. By the text, because no client exports
 * the class of its error replies in every version, and a minifier renames classes and their `name`.
 */
export function replyCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || 'syscall' in error) return undefined;
  return REPLY_CODE.exec(error.message)?.[1] ?? (error.name === 'ReplyError' ? 'ERR' : undefined);
}

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
export function readRefusal({
  host = '127.0.0.1',
  port = 6379,
  path,
}: RedisAddress): Promise<string | undefined> {
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
