import { useEffect, useState } from 'react';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { type Problem, problemOf } from '../_trpc/problem';

interface Query {
  error: unknown;
  isPending: boolean;
}

interface LimitedQuery {
  problem: Problem | undefined;
  /** Whole seconds until a refused query may be asked again; 0 where it may be now. */
  againInSeconds: number;
}

/**
 * Reads a query that a limit may refuse. Nothing is asked again by itself: asking again is what was refused. A store
 * that is away stays away until it has answered: a query that is asked again has neither an error nor data meanwhile.
 */
export function useLimitedQuery({ error, isPending }: Query): LimitedQuery {
  const [againAt, setAgainAt] = useState<number>();
  const [wasAway, setWasAway] = useState(false);
  const problem = error ? problemOf(error) : undefined;
  const isAway = problem ? problem.kind === 'unavailable' : isPending && wasAway;
  if (isAway !== wasAway) setWasAway(isAway);

  useEffect(() => {
    const problem = error ? problemOf(error) : undefined;
    setAgainAt(problem?.kind === 'refused' ? stopwatch.now() + problem.refusal.retryAfterMs : undefined);
  }, [error]);

  return {
    problem: isAway ? { kind: 'unavailable' } : problem,
    againInSeconds: useCountdown({ clock: stopwatch, until: againAt }),
  };
}
