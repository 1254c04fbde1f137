import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { stopwatch } from '../_live/clock';
import type { LiveWindow } from '../_live/live-event';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-countdown';
import type { HeadersContext } from '../_trpc/answer-headers';
import { type Problem, problemOf } from '../_trpc/problem';
import { levelState } from '../_window/level-state';
import { windowAfter } from '../_window/window-after';

interface Options<Input, Output> {
  /** The call; pass the context on, so that the window is read from the answer. */
  call(input: Input, options: { context: HeadersContext }): Promise<Output>;
  /** The level whose window is shown, as `policy:level`. */
  level: string;
  onSuccess(output: Output, input: Input): void;
  /** Hears of every answer that is none of success. */
  onProblem?(problem: Problem): void;
}

export interface CountedCall<Input> {
  run(input: Input): void;
  busy: boolean;
  /** Why the last call brought nothing; gone with the next. */
  problem: Problem | undefined;
  /** Whole seconds until a refused call may be made again; 0 where it may be now. */
  againInSeconds: number;
  /** The window that counts the calls; `undefined` until an answer has told of it. */
  window: LiveWindow | undefined;
  /** Forgets all of it: what comes next is counted elsewhere. */
  reset(): void;
}

/** A limited call of a form, with the window that counts it. Nothing is called again by itself. */
export function useCountedCall<Input, Output>(options: Options<Input, Output>): CountedCall<Input> {
  const { call, level, onSuccess, onProblem } = options;
  const clock = useServerClock();
  const [window, setWindow] = useState<LiveWindow>();
  const [againAt, setAgainAt] = useState<number>();

  function count(headers: Headers, admitted: boolean): void {
    const state = levelState(headers, level);
    if (state) setWindow((before) => windowAfter(before, { state, admitted, now: clock.now() }));
  }

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (input: Input) =>
      call(input, { context: { onHeaders: (headers) => count(headers, !headers.has('retry-after')) } }),
    onSuccess,
    onError(cause) {
      const problem = problemOf(cause);
      if (problem.kind === 'refused') setAgainAt(stopwatch.now() + problem.refusal.retryAfterMs);
      onProblem?.(problem);
    },
  });

  return {
    run: (input) => mutate(input),
    busy: isPending,
    problem: error ? problemOf(error) : undefined,
    againInSeconds: useCountdown({ clock: stopwatch, until: againAt }),
    window,
    reset() {
      reset();
      setWindow(undefined);
      setAgainAt(undefined);
    },
  };
}
