import type { TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '../../server/router';

/** The `context` of a call that receives the response headers, also of a refusal. */
export interface HeadersContext extends Record<string, unknown> {
  onHeaders(headers: Headers): void;
}

/** Passes the response headers to `onHeaders`, because tRPC's results omit them. */
export const responseHeadersLink: TRPCLink<AppRouter> = () =>
  function answerHeadersLink({ op, next }) {
    const { onHeaders } = op.context;
    if (typeof onHeaders !== 'function') return next(op);
    const report = (meta: Record<string, unknown> | undefined) => {
      if (meta?.response instanceof Response) onHeaders(meta.response.headers);
    };
    return observable((observer) =>
      next(op).subscribe({
        next(result) {
          report(result.context);
          observer.next(result);
        },
        error(error) {
          report(error.meta);
          observer.error(error);
        },
        complete: () => observer.complete(),
      }),
    );
  };
