import type { IncomingMessage } from 'node:http';

/** A request body: its text, or why there is none. */
export type Body = { text: string } | { refused: 'too-large' | 'aborted' };

const utf8 = new TextDecoder();

/**
 * Reads a body of at most `maxBytes`, and stops keeping bytes beyond that. What a client still sends is read and
 * dropped by Node, within the server's `requestTimeout`: closing at once would reset the connection, and the client
 * would see the reset in place of the answer.
 *
 * A second call returns what the first one read.
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Body> {
  const body = bodies.get(req) ?? readOnce(req, maxBytes);
  bodies.set(req, body);
  return body;
}

const bodies = new WeakMap<IncomingMessage, Promise<Body>>();

function readOnce(req: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(req.headers['content-length']) > maxBytes) return Promise.resolve({ refused: 'too-large' });

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: Body) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else settle({ refused: 'too-large' });
    };
    const onEnd = () => settle({ text: utf8.decode(Buffer.concat(chunks)) });
    const onClose = () => settle({ refused: 'aborted' });
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
