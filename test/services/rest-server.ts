import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';

/** A stand-in of the REST API of Upstash in front of a Redis: https://upstash.com/docs/redis/features/restapi. */
export interface RestServer {
  url: string;
  token: string;
  /** The requests with a command, in the order of their arrival. */
  requests: { headers: IncomingMessage['headers']; command: readonly (string | number)[] }[];
  /** Sends the answer to a command that was executed. A test may replace it. */
  send: (res: ServerResponse, answer: RestAnswer) => void;
  stop(): void;
}

interface RestAnswer {
  status: number;
  body: { result: unknown } | { error: string };
}

const commandSchema = z.array(z.union([z.string(), z.number()])).min(1);
/** The first line of the scripts of @upstash/ratelimit: a flag for Upstash's servers, which Redis rejects. */
const SCRIPT_FLAGS = /^#!lua[^\n]*\n/;

/**
 * Starts the stand-in. As the documentation says, a POST carries a command as a JSON array, and the answer is an object with
 * its result (status 200) or its error (400, without the token 401, with another method 405). A POST to `/pipeline` carries
 * several, for @upstash/redis; texts are in base64 if it requires that. The reply to a command at `/lost` is lost: its
 * connection closes.
 */
export async function startRestServer(redisUrl: string): Promise<RestServer> {
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
  });
  redis.on('error', () => undefined);
  await redis.connect();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await req.toArray()).join('');
    if (req.method !== 'POST')
      return sendAnswer(res, { status: 405, body: { error: 'ERR unsupported method' } });
    if (req.headers.authorization !== `Bearer ${rest.token}`)
      return sendAnswer(res, { status: 401, body: { error: 'WRONGPASS invalid or missing auth token' } });
    if (req.url === '/pipeline') {
      const commands = z.array(commandSchema).parse(JSON.parse(body));
      const replies = await Promise.all(commands.map((command) => execute(req, command)));
      res.writeHead(200, { 'content-type': 'application/json' });
      return void res.end(JSON.stringify(replies.map((reply) => reply.body)));
    }
    const reply = await execute(req, commandSchema.parse(JSON.parse(body)));
    if (req.url === '/lost') res.destroy();
    else rest.send(res, reply);
  }

  function execute(
    { headers }: IncomingMessage,
    command: z.infer<typeof commandSchema>,
  ): Promise<RestAnswer> {
    rest.requests.push({ headers, command });
    const [name, ...args] = command.map((word) => String(word).replace(SCRIPT_FLAGS, ''));
    const encode = headers['upstash-encoding'] === 'base64' ? toBase64 : (reply: unknown) => reply;
    return redis.call(String(name), ...args).then(
      (result): RestAnswer => ({ status: 200, body: { result: encode(result) } }),
      ({ message }: Error): RestAnswer => ({ status: 400, body: { error: message } }),
    );
  }

  const server = createServer((req, res) => void answer(req, res));
  const rest: RestServer = {
    url: `http://127.0.0.1:${await listenOnFreePort(server)}`,
    token: 'AYNgAS2553feg6a2d9842h2a0gcdb5f8efe9934DQ=',
    requests: [],
    send: sendAnswer,
    stop() {
      redis.disconnect();
      server.closeAllConnections();
      server.close();
    },
  };
  return rest;
}

function toBase64(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(toBase64);
  return typeof reply === 'string' && reply !== 'OK' ? Buffer.from(reply).toString('base64') : reply;
}

function sendAnswer(res: ServerResponse, { status, body }: RestAnswer): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
