import { getOrCreate } from '../get-or-create';

/** A Node request of HTTP/1 or HTTP/2. */
export interface NodeRequest {
  socket: Carrier;
  /** The stream of an HTTP/2 request. */
  stream?: Carrier;
}

/** The socket or the HTTP/2 stream that carries a request. Serverless adapters have sockets without events. */
interface Carrier {
  readonly destroyed?: boolean;
  readonly closed?: boolean;
  once?(event: 'close', onClose: () => void): unknown;
}

/** A Node response. The one of HTTP/2 has no `destroyed`. */
export interface NodeResponse {
  readonly destroyed?: boolean;
  once(event: 'close', onClose: () => void): unknown;
}

/** The callbacks of all unfinished requests of a socket or a stream. */
const pendingOf = new WeakMap<Carrier, Set<() => void>>();

/**
 * Calls `onEnd` once when the response was sent or the connection or stream of its request has ended; at once if that was
 * before. The `close` of the response alone is not enough: Node does not emit it for a response that waits for its socket
 * behind another one of the same connection, nor again for an HTTP/2 stream that was reset before.
 */
export function onRequestEnd(req: NodeRequest, res: NodeResponse, onEnd: () => void): void {
  if (isRequestEnded(req, res)) {
    onEnd();
    return;
  }
  const pending = pendingOn(req.stream ?? req.socket);
  const end = () => {
    if (pending.delete(end)) onEnd();
  };
  pending.add(end);
  res.once('close', end);
}

/** Returns true if the response was sent or the connection or stream of its request has ended. */
export function isRequestEnded({ socket, stream }: NodeRequest, res: NodeResponse): boolean {
  const carrier = stream ?? socket;
  return (carrier.destroyed || carrier.closed || res.destroyed) ?? false;
}

/** Returns the callbacks of a carrier, which has one listener for all requests that a client pipelines. */
function pendingOn(carrier: Carrier): Set<() => void> {
  return getOrCreate(pendingOf, carrier, () => {
    const callbacks = new Set<() => void>();
    carrier.once?.('close', () => {
      for (const end of callbacks) end();
    });
    return callbacks;
  });
}

/** The end of a request: its response was sent, or its caller has disconnected. */
export interface RequestEnd {
  hasEnded(): boolean;
  /** Calls `callback` when the request ends, at once if it has ended. */
  onEnd(callback: () => void): void;
}

/** Returns the end of a Node request. It has ended for the limit as soon as another handler has begun the response. */
export function endOfNodeRequest(
  req: NodeRequest,
  res: NodeResponse & { readonly headersSent: boolean },
): RequestEnd {
  return {
    hasEnded: () => res.headersSent || isRequestEnded(req, res),
    onEnd: (callback) => onRequestEnd(req, res, callback),
  };
}

/** Returns the end of a Fetch request, which its signal reports. */
export function endOfRequest({ signal }: Pick<Request, 'signal'>): RequestEnd {
  return {
    hasEnded: () => signal.aborted,
    onEnd(callback) {
      if (signal.aborted) callback();
      else signal.addEventListener('abort', callback, { once: true });
    },
  };
}
