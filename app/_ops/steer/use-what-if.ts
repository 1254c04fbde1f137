import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTRPCClient } from '../../_trpc/client';
import type { WhatIf } from '../types';
import { type FormProblem, useProblem } from '../use-problem';
import type { TuneChange } from './tune-change';

interface AskingWhatIf {
  ask(change: TuneChange): void;
  /** Gives the question up: nobody waits for its answer any more. */
  cancel(): void;
  isAsking: boolean;
  /** The last answer, and what it is the answer to. */
  answer: { change: TuneChange; whatIf: WhatIf } | undefined;
  problem: FormProblem | undefined;
}

/** Asks what other numbers would have done to the last minutes of a level. It takes seconds, and can be given up. */
export function useWhatIf(level: { policy: string; level: string }): AskingWhatIf {
  const client = useTRPCClient();
  const underWay = useRef<AbortController>(undefined);
  const { mutate, reset, isPending, data, error } = useMutation({
    async mutationFn(change: TuneChange) {
      underWay.current = new AbortController();
      const { signal } = underWay.current;
      return { change, whatIf: await client.ops.whatIf.mutate({ ...level, ...change }, { signal }) };
    },
  });
  return {
    ask: mutate,
    cancel() {
      reset();
      underWay.current?.abort();
    },
    isAsking: isPending,
    answer: data,
    problem: useProblem(error),
  };
}
