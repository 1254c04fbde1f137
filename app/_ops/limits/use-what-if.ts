import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTRPCClient } from '../../_trpc/client';
import { type FormProblem, useProblem } from '../form-problems';
import type { Level, WhatIf } from '../types';
import type { LimitDiff } from './limit-change';

/** Pause in typing after which a change is replayed, in ms. */
const SETTLE_MS = 400;

interface WhatIfOptions {
  policy: string;
  level: Pick<Level, 'level' | 'version'>;
  /** The change to replay; `undefined` without one. */
  change: LimitDiff | undefined;
}

interface WhatIfState {
  /** The last result. Check `isCurrent`. */
  result: WhatIf | undefined;
  /** True if the result is that of the current change. */
  isCurrent: boolean;
  isRunning: boolean;
  /** True if the replay of the current change was cancelled. */
  isCancelled: boolean;
  /** The problem of the current change. */
  problem: FormProblem | undefined;
  cancel(): void;
  /** Replays the current change again. */
  retry(): void;
}

/** Replays the last minutes of a level under a changed limit, once typing pauses. A newer change cancels the replay. */
export function useWhatIf({ policy, level: { level, version }, change }: WhatIfOptions): WhatIfState {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const wanted = change && JSON.stringify(change);
  const settled = useSettled(wanted);
  const [cancelled, setCancelled] = useState<string>();
  const queryKey = ['what-if', policy, level, version, settled];
  const isSettled = wanted !== undefined && wanted === settled;

  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.ops.whatIf.mutate({ policy, level, ...change }, { signal }),
    enabled: isSettled && cancelled !== wanted,
    placeholderData: (previous) => previous,
    // The arrivals of the last minutes change with time, so no result is used twice.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
  const problem = useProblem(error);
  const isCancelled = wanted !== undefined && cancelled === wanted;

  return {
    result: data,
    isCurrent: isSettled && data !== undefined && !isPlaceholderData && !error,
    isRunning: wanted !== undefined && !isCancelled && (!isSettled || isFetching),
    isCancelled,
    problem: isSettled ? problem : undefined,
    cancel() {
      setCancelled(wanted);
      void queryClient.cancelQueries({ queryKey });
    },
    retry() {
      setCancelled(undefined);
      void refetch();
    },
  };
}

/** Returns the last value that did not change for a while; the first one at once. */
function useSettled(value: string | undefined): string | undefined {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
