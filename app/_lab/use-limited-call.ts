import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { type Problem, problemOf } from '../_trpc/problem';

interface LimitedCall<Input, Output> {
  start(input: Input): void;
  /** Cancels the call on the client and on the server. */
  cancel(): void;
  /** Cancels the call and discards its result. */
  reset(): void;
  data: Output | undefined;
  /** Input of `data` or of the running call. */
  input: Input | undefined;
  busy: boolean;
  wasCancelled: boolean;
  problem: Problem | undefined;
  /** Whole seconds until a retry is allowed. 0 if it is allowed now. */
  retryInSeconds: number;
}

/** A long call that can be cancelled, or refused by a limit. */
export function useLimitedCall<Input, Output>(
  call: (input: Input, signal: AbortSignal) => Promise<Output>,
): LimitedCall<Input, Output> {
  const [retryAt, setRetryAt] = useState<number>();
  const [wasCancelled, setWasCancelled] = useState(false);
  const controller = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn(input: Input) {
      controller.current = new AbortController();
      return call(input, controller.current.signal);
    },
    onError(error) {
      const problem = problemOf(error);
      if (problem.kind === 'refused') setRetryAt(stopwatch.now() + problem.refusal.retryAfterMs);
    },
  });

  function cancel(): void {
    controller.current?.abort();
    mutation.reset();
    setWasCancelled(true);
  }

  return {
    start(input) {
      setWasCancelled(false);
      mutation.mutate(input);
    },
    cancel,
    reset() {
      cancel();
      setWasCancelled(false);
    },
    data: mutation.data,
    input: mutation.variables,
    busy: mutation.isPending,
    wasCancelled,
    problem: mutation.error ? problemOf(mutation.error) : undefined,
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
  };
}
