import type { Refused } from '../decide/decision';
import { PROBLEM_TYPE } from './http';
import { addHeaders, type RefusedAnswer } from './http-answer';

/**
 * Creates the response to a Fetch request that does not proceed: that of `onRefused`, else the problem details. The one to a
 * request that has ended is not sent.
 */
export async function refusedResponse(
  answer: RefusedAnswer | undefined,
  onRefused: (refusal: Refused) => unknown,
): Promise<Response> {
  if (!answer) return new Response(null, { status: 499 });
  const own = answer.refusal && (await onRefused(answer.refusal));
  if (own instanceof Response) return withHeaders(own, answer.headers);
  const headers = Object.assign(answer.headers, { 'content-type': PROBLEM_TYPE });
  return new Response(answer.body, { status: answer.status, headers });
}

/** Returns a response with more headers. Those of a redirect or of a fetched response cannot be changed. */
export function withHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers);
  addHeaders(headers, added);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/**
 * Returns a response that ends a held request: at once without a body, else when its body has ended, failed, or lost its
 * reader. The end of the body waits for the store, because some runtimes stop what runs after a response.
 */
export async function endWithBody(
  response: Response,
  { method, ...reader }: Pick<Request, 'method'> & BodyReader,
): Promise<Response> {
  const { body } = response;
  if (body && method !== 'HEAD') return new Response(watchBody(body, reader), response);
  await reader.onEnd(!reader.signal.aborted);
  return response;
}

/** The reader of a body. */
interface BodyReader {
  /** Aborts when the caller leaves. */
  signal: AbortSignal;
  /** May be called more than once. */
  onEnd: (isComplete: boolean) => Promise<void>;
  /** A body that is not read ends after this time, because a server may drop it. */
  unreadMs: number | undefined;
}

function watchBody(
  body: ReadableStream<Uint8Array>,
  { signal, unreadMs, onEnd }: BodyReader,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const leave = () => void end(false);
  function end(isComplete: boolean): Promise<void> {
    clearTimeout(unread);
    signal.removeEventListener('abort', leave);
    return onEnd(isComplete);
  }
  const unread = unreadMs === undefined ? undefined : setTimeout(leave, unreadMs);
  // A number on other runtimes than Node.
  unread?.unref?.();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(unread);
        const read = await reader.read().catch(async (error: unknown) => {
          await end(false);
          throw error;
        });
        if (!read.done) return controller.enqueue(read.value);
        await end(true);
        controller.close();
      },
      async cancel(reason) {
        try {
          await reader.cancel(reason);
        } finally {
          await end(false);
        }
      },
    },
    { highWaterMark: 0 },
  );
}
