import type { Admitted } from '../decide/decision';
import { holdLease } from '../decide/lease';
import type { Limiter } from '../limiter';
import { StoreUnavailableError } from '../stores/store-error';
import type { RequestEnd } from './request-end';

/**
 * The units that a call keeps after its response. `failures`: a response with a status below 400 keeps none, any other keeps
 * all. `successes`: a response with a status from 400 keeps none, any other keeps all. With both, a call whose response was
 * not sent to its end keeps all, because a caller who leaves would get its units back. A function returns the number of
 * units, a whole one from 0; if it throws, the call keeps its cost, with a warning.
 */
export type SettleResponse<Request, Response> =
  | 'failures'
  | 'successes'
  | ((response: Response, call: SettledRequest<Request>) => number | Promise<number>);

/** A call that ends, for `settle`. */
export interface SettledRequest<Request> {
  /** The request, in the form in which `subjects` receives it. */
  request: Request;
  /** The units that the call reserved. */
  cost: number;
  /** False if the caller left, or the body failed, before the response was sent. */
  isComplete: boolean;
}

/** A response that was sent, or whose caller has left. */
export interface EndedResponse<Response> {
  response: Response;
  status: number;
  isComplete: boolean;
}

/** The lease and the reservation of an admitted request. */
export interface HeldRequest<Response> {
  /** Releases the lease. The store is not awaited. */
  release(): void;
  /** Releases the lease, and settles the reservation. Later calls change nothing. Never rejects. */
  end(ended: EndedResponse<Response>): Promise<void>;
  /** The longest time, in ms, for which a body that is not read holds a lease; `undefined` without one. */
  unreadMs: number | undefined;
}

/** Holds what an admitted request has to give back at its end; `undefined` if that is nothing. */
export function holdRequest<Request, Response>(
  limiter: Limiter,
  { policy, lease, reservation }: Admitted,
  { request, settle }: { request: Request; settle: SettleResponse<Request, Response> | undefined },
): HeldRequest<Response> | undefined {
  if (!lease && !reservation) return undefined;
  const releaseLease = lease && holdLease(limiter, lease);
  let isEnded = false;

  async function settleUnits(ended: EndedResponse<Response>): Promise<void> {
    if (!reservation || !settle) return;
    const { cost } = reservation.call;
    try {
      await limiter.settle(reservation, await keptUnits(settle, ended, { request, cost }));
    } catch (error) {
      // The units stay charged.
      if (error instanceof StoreUnavailableError) return;
      limiter.warn(`Policy "${policy}": settle failed: ${String(error)}. The call keeps its ${cost} units.`);
    }
  }

  return {
    unreadMs: lease?.leaseMs,
    release() {
      void releaseLease?.();
    },
    async end(ended) {
      if (isEnded) return;
      isEnded = true;
      await Promise.all([releaseLease?.(), settleUnits(ended)]);
    },
  };
}

/** A Node response. It is finished also if a server ends one whose body has failed, or if the HTTP/2 stream was reset. */
export interface EndingResponse {
  readonly statusCode: number;
  readonly writableFinished: boolean;
  readonly errored?: Error | null;
  readonly stream?: { readonly aborted: boolean };
}

/** Ends a held request when its Node response was sent or its caller has left. */
export function endWithNodeResponse<Response>(
  held: HeldRequest<Response>,
  { end, res, response }: { end: RequestEnd; res: EndingResponse; response: Response },
): void {
  end.onEnd(() => {
    const isComplete = res.writableFinished && !res.errored && !res.stream?.aborted;
    void held.end({ response, status: res.statusCode, isComplete });
  });
}

function keptUnits<Request, Response>(
  settle: SettleResponse<Request, Response>,
  { response, status, isComplete }: EndedResponse<Response>,
  { request, cost }: { request: Request; cost: number },
): number | Promise<number> {
  if (typeof settle === 'function') return settle(response, { request, cost, isComplete });
  const isFailure = status >= 400;
  return !isComplete || isFailure === (settle === 'failures') ? cost : 0;
}
