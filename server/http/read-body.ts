import type { IncomingMessage } from 'node:http';

/** A request body: its text, or the reason why it was not read. */
export type Body = { text: string } | { refused: 'too-large' | 'aborted' };

const utf8 = new TextDecoder();

/**
 * Reads a body of at most `maxBytes` and discards further bytes. Node keeps reading the rest within the server's
 * `requestTimeout`: an immediate close would reset the connection, and the client would get no answer.
 *
 * A second call returns the result of the first.
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
