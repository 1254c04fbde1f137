import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../server/router';

/** The level of a limit that refused a call, and the time after which the call may be repeated. */
export interface Refusal {
  level: string;
  /** Null if an operator blocks the level. */
  retryAfterMs: number | null;
}

/** Returns the refusal of a limit from an error reply. Returns undefined for other errors. */
export function refusalIn({ data }: TRPCClientError<AppRouter>): Refusal | undefined {
  if (!data || !('rateLimit' in data) || !data.rateLimit) return undefined;
  const { level, retryAfterMs } = data.rateLimit;
  return { level, retryAfterMs };
}
