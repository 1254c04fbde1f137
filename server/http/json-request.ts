import type { IncomingMessage } from 'node:http';

export interface JsonRequestOptions {
  /** The body of a POST. */
  body?: string | undefined;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Creates a JSON call with only the parts of a `Request` that tRPC reads. A real `Request`, with its headers and its
 * stream, would be a quarter of the cost of an admitted call: docs/decisions/023-trpc-adapter.md.
 */
export function createJsonRequest(
  { method = 'GET', url = '', headers }: IncomingMessage,
  { body = '', signal }: JsonRequestOptions,
): Request {
  const request: UsedRequest = {
    method,
    // tRPC requires an absolute URL but ignores the host, and a client may send any Host.
    url: `http://localhost${url}`,
    // Without `accept`: tRPC would send the head of a stream before its calls are decided, without status and headers.
    // For a client that reads streams, the handler encodes the complete answers: json-lines.ts.
    headers: { get: (name) => (name === 'content-type' ? headers[name] : undefined) ?? null },
    signal,
    json: async () => JSON.parse(body),
  };
  return request as Request;
}

/** Returns true if a `content-type` is JSON. */
export function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;|$)/i.test(type);
}

type UsedRequest = Pick<Request, 'method' | 'url' | 'signal' | 'json'> & { headers: Pick<Headers, 'get'> };
