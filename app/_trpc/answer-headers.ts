import type { TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '../../server/router';

/** Give it to a call as its `context`, and the answer's header fields come with the answer, also with a refusal. */
export interface HeadersContext extends Record<string, unknown> {
  onHeaders(headers: Headers): void;
}

/** Hands the header fields of each answer to whoever asked for them: tRPC's own results leave them behind. */
export const answerHeaders: TRPCLink<AppRouter> = () =>
  function answerHeadersLink({ op, next }) {
    const { onHeaders } = op.context;
    if (typeof onHeaders !== 'function') return next(op);
    const tell = (meta: Record<string, unknown> | undefined) => {
      if (meta?.response instanceof Response) onHeaders(meta.response.headers);
    };
    return observable((observer) =>
      next(op).subscribe({
        next(result) {
          tell(result.context);
          observer.next(result);
        },
        error(error) {
          tell(error.meta);
          observer.error(error);
        },
        complete: () => observer.complete(),
      }),
    );
  };
