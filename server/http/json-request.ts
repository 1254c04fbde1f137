import type { IncomingMessage } from 'node:http';

export interface JsonRequestOptions {
  /** Of a POST. */
  body?: string | undefined;
  /** Tells the procedures that their caller has left. */
  signal: AbortSignal;
}

/**
 * A call in JSON, with what tRPC reads of a `Request` and nothing else. A real one, with its headers and its stream, would
 * be a quarter of what an admitted call costs: docs/decisions/023-trpc-adapter.md.
 */
export function createJsonRequest(
  { method = 'GET', url = '', headers }: IncomingMessage,
  { body = '', signal }: JsonRequestOptions,
): Request {
  const request: UsedRequest = {
    method,
    // A URL has to be whole, and Host may be anything: nobody reads this one.
    url: `http://localhost${url}`,
    // Not `accept`: tRPC would send the head of a stream before its calls are decided, without their status and headers.
    // The handler encodes the finished answers for a client that reads streams: json-lines.ts.
    headers: { get: (name) => (name === 'content-type' ? headers[name] : undefined) ?? null },
    signal,
    json: async () => JSON.parse(body),
  };
  return request as Request;
}

/** Whether a `content-type` is that of a call in JSON. */
export function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;|$)/i.test(type);
}

type UsedRequest = Pick<Request, 'method' | 'url' | 'signal' | 'json'> & { headers: Pick<Headers, 'get'> };
