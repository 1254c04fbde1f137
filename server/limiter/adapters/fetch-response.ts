import type { Refused } from '../decide/decision';
import type { HeldRequest } from './held-request';
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
 * Runs the handler of a held request. Returns a response that ends the request: at once without a body, else when its body has
 * ended, failed, or lost its reader. The end of the body waits for the store, because some runtimes stop what runs after a
 * response. A handler that throws ends it as status 500. `settledOf` returns what `settle` receives.
 */
export async function runHeld<Settled>(
  held: HeldRequest<Settled>,
  handling: { request: Request; run: () => Promise<Response>; settledOf: (response: Response) => Settled },
): Promise<Response> {
  const { request, run, settledOf } = handling;
  const { method, signal } = request;
  const end = (response: Response, isComplete: boolean) =>
    held.end({ response: settledOf(response), status: response.status, isComplete });
  try {
    const response = await run();
    const onEnd = (isComplete: boolean) => end(response, isComplete);
    const { body } = response;
    if (body && method !== 'HEAD')
      return new Response(watchBody(body, { signal, onEnd, unreadMs: held.unreadMs }), response);
    await onEnd(!signal.aborted);
    return response;
  } catch (error) {
    await end(new Response(null, { status: 500 }), !signal.aborted);
    throw error;
  }
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

function watchBody(body: ReadableStream<Uint8Array>, { signal, unreadMs, onEnd }: BodyReader) {
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
