import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnFreePort } from '../scripts/lib/ports.mjs';

/** Starts a server on a free port. It ends with the test. */
export async function startHttpServer(
  handle: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<{ origin: string; port: number }> {
  const server = createServer((req, res) => void handle(req, res));
  const port = await listenOnFreePort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, origin: `http://127.0.0.1:${port}` };
}

/** A complete response. */
export interface HttpResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface RawRequest {
  method?: string;
  /** Sent unchanged, even if malformed. */
  path: string;
  headers?: Record<string, string | string[]>;
  /** A string is sent with Content-Length, a list in chunks. */
  body?: string | string[];
}

/** Sends exactly this request. `fetch` would normalise the path and refuse some headers. */
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

/** A TCP connection and the text that it has received. */
export interface RawConnection {
  socket: Socket;
  received(): string;
  /** Waits until the received text matches. */
  waitForText(pattern: RegExp): Promise<string>;
  /** Resolves when the other side has closed the connection. */
  closed: Promise<void>;
}

/** Opens a connection. It ends with the test. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  const pendingChecks = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const check of [...pendingChecks]) check();
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A reset also closes the connection. Tests check the received text.
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
          pendingChecks.delete(check);
          resolve(text);
        };
        pendingChecks.add(check);
        void closed.then(() =>
          reject(new Error(`closed before ${pattern}; received ${JSON.stringify(text)}`)),
        );
        check();
      }),
  };
}
