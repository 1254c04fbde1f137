import { useEffect, useState } from 'react';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { type Problem, problemOf } from '../_trpc/problem';

interface LimitedQuery {
  problem: Problem | undefined;
  /** Whole seconds until a refused query may be asked again; 0 where it may be now. */
  againInSeconds: number;
}

/** Reads a query that a limit may refuse. Nothing is asked again by itself: asking again is what was refused. */
export function useLimitedQuery({ error }: { error: unknown }): LimitedQuery {
  const [againAt, setAgainAt] = useState<number>();

  useEffect(() => {
    const problem = error ? problemOf(error) : undefined;
    setAgainAt(problem?.kind === 'refused' ? stopwatch.now() + problem.refusal.retryAfterMs : undefined);
  }, [error]);

  return {
    problem: error ? problemOf(error) : undefined,
    againInSeconds: useCountdown({ clock: stopwatch, until: againAt }),
  };
}
