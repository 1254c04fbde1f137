import { TRPCClientError } from '@trpc/client';
import { AppError } from '../server/errors';
import { StoreUnavailableError } from '../server/limiter/index';
import { waitUntil } from './wait-until';

/**
 * Repeats a call under a request id until it is answered. On a machine without idle CPU time, the store may not reply within
 * its time limit; under its request id the next call finds the first one, and charges and buys nothing more.
 */
export async function repeatUnavailable<Result>(call: () => Promise<Result>): Promise<Result> {
  const { result } = await waitUntil(async () => {
    try {
      return { result: await call() };
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  });
  return result;
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof TRPCClientError) return error.data?.code === 'SERVICE_UNAVAILABLE';
  return (
    error instanceof StoreUnavailableError ||
    (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE')
  );
}
