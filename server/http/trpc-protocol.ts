import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The URL prefix of procedures. The procedure's path follows, or several separated by commas in a batch. */
export const TRPC_PREFIX = '/api/trpc/';

export const MAX_CALLS_PER_REQUEST = 10;
export const MAX_BODY_BYTES = 32 * 1024;

/** A request body: its text, or the reason why it was not read. */
type Body = { text: string } | { refused: 'too-large' | 'aborted' };

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

/**
 * Creates a JSON call with only the parts of a `Request` that tRPC reads. A real `Request`, with its headers and its
 * stream, would be a quarter of the cost of an admitted call: docs/decisions/023-trpc-adapter.md. `body` is that of a POST,
 * and `signal` aborts when the client disconnects.
 */
export function createJsonRequest(
  { method = 'GET', url = '', headers }: IncomingMessage,
  { body = '', signal }: { body?: string | undefined; signal: AbortSignal },
): Request {
  const request: UsedRequest = {
    method,
    // tRPC requires an absolute URL but ignores the host, and a client may send any Host.
    url: `http://localhost${url}`,
    // Without `accept`: tRPC would send the head of a stream before its calls are decided, without status and headers.
    // For a client that reads streams, the handler encodes the complete answers: `encodeJsonLines`.
    headers: { get: (name) => (name === 'content-type' ? headers[name] : undefined) ?? null },
    signal,
    text: async () => body,
  };
  return request as Request;
}

type UsedRequest = Pick<Request, 'method' | 'url' | 'signal' | 'text'> & { headers: Pick<Headers, 'get'> };

/** Returns true if a `content-type` is JSON. */
export function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;|$)/i.test(type);
}

const JSON_LINES_TYPE = 'application/jsonl';

/** Returns true for tRPC's `httpBatchStreamLink`, which reads the answer of a batch only as JSON Lines. */
export function acceptsJsonLines(headers: IncomingHttpHeaders): boolean {
  const { accept, 'trpc-accept': trpcAccept } = headers;
  if (trpcAccept !== undefined) return trpcAccept === JSON_LINES_TYPE;
  if (!accept?.includes(JSON_LINES_TYPE)) return false;
  return accept.split(',').some((type) => type.trim() === JSON_LINES_TYPE);
}

export interface JsonLines {
  status: number;
  /** Sent as `application/json`, like tRPC's own streams. */
  body: string;
}

/**
 * Encodes the answer of a batch for that link, from the JSON of each call and the status of the JSON batch. All calls are
 * complete, so the answer is one line: the head of tRPC's stream with every value in it.
 * For a status other than 2xx the link reads one error for all calls. So a single error keeps its status, and several
 * calls get 207, with a separate status in each.
 */
export function encodeJsonLines(answers: readonly string[], status: number): JsonLines {
  const [only, ...others] = answers;
  const isOk = status >= 200 && status < 300;
  if (!isOk && only !== undefined && others.length === 0) return { status, body: only };
  const head = answers.map((answer, index) => `"${index}":[[${answer}]]`).join(',');
  return { status: isOk ? status : 207, body: `{${head}}\n` };
}
