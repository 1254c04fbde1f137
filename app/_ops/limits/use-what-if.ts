import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTRPCClient } from '../../_trpc/client';
import type { WhatIf } from '../types';
import { type FormProblem, useProblem } from '../use-problem';
import type { LimitDiff } from './limit-change';

interface WhatIfQuery {
  run(change: LimitDiff): void;
  /** Cancels the running query. */
  cancel(): void;
  isRunning: boolean;
  /** The last result and its change. */
  answer: { change: LimitDiff; whatIf: WhatIf } | undefined;
  problem: FormProblem | undefined;
}

/** Replays the last minutes of a level under another limit. Takes seconds and can be cancelled. */
export function useWhatIf(level: { policy: string; level: string }): WhatIfQuery {
  const client = useTRPCClient();
  const underWay = useRef<AbortController>(undefined);
  const { mutate, reset, isPending, data, error } = useMutation({
    async mutationFn(change: LimitDiff) {
      underWay.current = new AbortController();
      const { signal } = underWay.current;
      return { change, whatIf: await client.ops.whatIf.mutate({ ...level, ...change }, { signal }) };
    },
  });
  return {
    run: mutate,
    cancel() {
      reset();
      underWay.current?.abort();
    },
    isRunning: isPending,
    answer: data,
    problem: useProblem(error),
  };
}
