import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on a free port that ends with the test. */
export async function startHttpServer(
  handle: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<{ origin: string; port: number }> {
  const server = createServer((req, res) => void handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  return { port, origin: `http://127.0.0.1:${port}` };
}

/** What a server answered, read to its end. */
export interface HttpResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface RawRequest {
  method?: string;
  /** Sent as it is, however malformed. */
  path: string;
  headers?: Record<string, string | string[]>;
  /** A text gets a Content-Length, a list is sent in chunks. */
  body?: string | string[];
}

/** Asks with exactly these bytes; `fetch` would mend a path and refuse some headers. */
export function sendRequest(
  port: number,
  { method = 'GET', path, headers, body }: RawRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    req.once('error', reject);
    if (Array.isArray(body)) for (const chunk of body) req.write(chunk);
    req.end(Array.isArray(body) ? undefined : body);
  });
}

/** A connection by hand, and all that it has received. */
export interface RawConnection {
  socket: Socket;
  received(): string;
  /** Waits until what was received matches. */
  waitForText(pattern: RegExp): Promise<string>;
  /** Waits until the other side has closed. */
  closed: Promise<void>;
}

/** Opens a connection that ends with the test. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  const waiting = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const check of [...waiting]) check();
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A reset is one of the ways in which a connection closes; tests say which they want by what they received.
  socket.on('error', () => socket.destroy());
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    socket,
    closed,
    received: () => text,
    waitForText: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text)) return;
          waiting.delete(check);
          resolve(text);
        };
        waiting.add(check);
        void closed.then(() =>
          reject(new Error(`closed before ${pattern}; received ${JSON.stringify(text)}`)),
        );
        check();
      }),
  };
}
