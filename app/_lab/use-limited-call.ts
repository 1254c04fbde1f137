import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { type Problem, problemOf } from '../_trpc/problem';

interface LimitedCall<Input, Output> {
  start(input: Input): void;
  /** Gives the call up; the server stops working for it. */
  cancel(): void;
  /** Gives it up, and what it brought. */
  forget(): void;
  data: Output | undefined;
  /** What `data`, or the call under way, is for. */
  input: Input | undefined;
  busy: boolean;
  wasCancelled: boolean;
  problem: Problem | undefined;
  /** Whole seconds until a refused call may be made again; 0 where it may be now. */
  againInSeconds: number;
}

/** A call that takes its time, may be given up, and that a limit may refuse. */
export function useLimitedCall<Input, Output>(
  call: (input: Input, signal: AbortSignal) => Promise<Output>,
): LimitedCall<Input, Output> {
  const [againAt, setAgainAt] = useState<number>();
  const [wasCancelled, setWasCancelled] = useState(false);
  const underWay = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn(input: Input) {
      underWay.current = new AbortController();
      return call(input, underWay.current.signal);
    },
    onError(error) {
      const problem = problemOf(error);
      if (problem.kind === 'refused') setAgainAt(stopwatch.now() + problem.refusal.retryAfterMs);
    },
  });

  function cancel(): void {
    underWay.current?.abort();
    mutation.reset();
    setWasCancelled(true);
  }

  return {
    start(input) {
      setWasCancelled(false);
      mutation.mutate(input);
    },
    cancel,
    forget() {
      cancel();
      setWasCancelled(false);
    },
    data: mutation.data,
    input: mutation.variables,
    busy: mutation.isPending,
    wasCancelled,
    problem: mutation.error ? problemOf(mutation.error) : undefined,
    againInSeconds: useCountdown({ clock: stopwatch, until: againAt }),
  };
}
