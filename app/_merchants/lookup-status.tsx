import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useState } from 'react';
import { ProblemNote } from '../_components/problem-note';
import { BlankPage } from '../_components/ui/blank-page';
import { Button } from '../_components/ui/button';
import { useDurations } from '../_i18n/use-durations';
import { retryAtOf, stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { RetryTimer } from '../_shell/store-down/retry-timer';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';

/** The state of a query of React Query. */
interface QueryState {
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

interface Lookup extends Pick<QueryState, 'isFetching' | 'refetch'> {
  problem: Problem | undefined;
  /** Whole seconds until a refused query may be repeated; 0 if now. */
  retryInSeconds: number;
}

/**
 * Returns the problem of a query that a limit may refuse, and refetches the visitor's windows after each call. The
 * store counts as unavailable until a response arrives: a query that runs again has neither error nor data.
 */
export function useLookup({ error, isPending, isFetching, refetch }: QueryState): Lookup {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const problem = error ? problemOf(error) : undefined;
  const [last, setLast] = useState<{ error: unknown; isUnavailable: boolean; retryAt?: number | undefined }>({
    error: null,
    isUnavailable: false,
  });
  const isUnavailable = problem ? problem.kind === 'unavailable' : isPending && last.isUnavailable;
  if (last.error !== error || last.isUnavailable !== isUnavailable) {
    const retryAt = problem?.kind === 'refused' ? retryAtOf(problem.refusal) : undefined;
    setLast({ error, isUnavailable, retryAt });
  }

  useEffect(() => {
    if (!isFetching) void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
  }, [isFetching, queryClient, trpc]);

  return {
    problem: isUnavailable ? { kind: 'unavailable' } : problem,
    retryInSeconds: useCountdown({ clock: stopwatch, until: last.retryAt }),
    isFetching,
    refetch,
  };
}

interface Props {
  lookup: Lookup;
  /** The page to return to after signing in. */
  here: string;
  /** The heading level of the message. */
  heading: 'h1' | 'h2';
  /** The text of the retry button. */
  retryText: string;
  /** The retry button. Default: repeats the query. */
  retry?(): unknown;
  /** Shown without a problem. */
  children?: ReactNode;
}

/** Explains why a lookup failed. An unavailable store is retried automatically, other problems by a button. */
export function LookupStatus(props: Props) {
  const { lookup, here, heading, retryText, children } = props;
  const t = useTranslations();
  const { wait } = useDurations();
  const { problem, retryInSeconds, isFetching, refetch } = lookup;
  const { retry = refetch } = props;
  const isUnavailable = problem?.kind === 'unavailable';
  return (
    <>
      <div role="status">
        {!problem && children}
        {problem && !isUnavailable && (
          <ProblemNote problem={problem} here={here} isOver={retryInSeconds === 0} />
        )}
        {isUnavailable && (
          <BlankPage
            tone="unavailable"
            heading={heading}
            title={t('storeDown.title.merchants')}
            text={t('storeDown.text.merchants')}
          >
            <RetryTimer retry={refetch} />
          </BlankPage>
        )}
      </div>
      {/* Outside the live region, because it counts down. */}
      {problem && !isUnavailable && (
        <Button closed={retryInSeconds > 0} busy={isFetching} onClick={() => retry()}>
          {retryInSeconds > 0 ? t('merchants.againIn', { time: wait(retryInSeconds) }) : retryText}
        </Button>
      )}
    </>
  );
}
