import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { RefusalNote } from '../_components/problem-note';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { retryAtOf, stopwatch } from '../_live/clock';
import type { LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { HeadersContext } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { parseLevelState, windowAfter, withFreeAt } from '../_window/header-window';
import { SlidingMeter } from '../_window/sliding-meter';
import styles from './sign-in.module.css';

interface Options<Input, Output> {
  /** The call. Pass the context on: the window is read from the response headers. */
  call(input: Input, options: { context: HeadersContext }): Promise<Output>;
  /** The level of the shown window, as `policy:level`. */
  level: string;
  onSuccess(output: Output, input: Input): void;
  /** Called with each problem. */
  onProblem?(problem: Problem): void;
}

export interface CountedCall<Input> {
  run(input: Input): void;
  busy: boolean;
  /** The problem of the last call; cleared by the next. */
  problem: Problem | undefined;
  /** Whole seconds until a refused call may be repeated; 0 if now. */
  retryInSeconds: number;
  /** The window that counts the calls; `undefined` before the first response. */
  window: LiveWindow | undefined;
  /** Clears everything, for calls that another window counts. */
  reset(): void;
}

/** Returns a limited call of a form with the window that counts it. It never retries by itself. */
export function useCountedCall<Input, Output>(options: Options<Input, Output>): CountedCall<Input> {
  const { call, level, onSuccess, onProblem } = options;
  const clock = useServerClock();
  const [window, setWindow] = useState<LiveWindow>();
  const [retryAt, setRetryAt] = useState<number>();

  function recordHeaders(headers: Headers, admitted: boolean): void {
    const state = parseLevelState(headers, level);
    if (state) setWindow((before) => windowAfter(before, { state, admitted, now: clock.now() }));
  }

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (input: Input) =>
      call(input, {
        context: { onHeaders: (headers) => recordHeaders(headers, !headers.has('retry-after')) },
      }),
    onSuccess,
    onError(cause) {
      const problem = problemOf(cause);
      if (problem.kind === 'refused') {
        const { policy, level: refusedBy, retryAfterMs } = problem.refusal;
        setRetryAt(retryAtOf(problem.refusal));
        // The headers have whole seconds. With the exact wait, the meter and the button count down alike.
        if (retryAfterMs !== null && `${policy}:${refusedBy}` === level) {
          setWindow((before) => before && withFreeAt(before, clock.now() + retryAfterMs));
        }
      }
      onProblem?.(problem);
    },
  });

  return {
    run: mutate,
    busy: isPending,
    problem: error ? problemOf(error) : undefined,
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
    window,
    reset() {
      reset();
      setWindow(undefined);
      setRetryAt(undefined);
    },
  };
}

interface NoteProps {
  call: Pick<CountedCall<never>, 'problem'>;
  /** Shown for a failure that is neither a refusal nor an input error. */
  failed: string;
}

/** Returns the message of a failed call; `undefined` without one, or for an input error, which its field explains. */
export function renderProblem({ call: { problem }, failed }: NoteProps): ReactNode {
  if (!problem || problem.kind === 'rejected') return undefined;
  if (problem.kind !== 'refused') return <Notice tone="warning">{failed}</Notice>;
  return (
    <Notice tone="refused">
      <RefusalNote refusal={problem.refusal} message={problem.message} />
    </Notice>
  );
}

interface MeterProps {
  call: Pick<CountedCall<never>, 'window'>;
  whose: string;
  /** Replaces the status line. */
  status?: string | undefined;
}

/** Shows the window that counts a call, once a response has stated it. */
export function CallMeter({ call, whose, status }: MeterProps) {
  if (!call.window) return null;
  return <SlidingMeter whose={whose} window={call.window} unknown="" status={status} />;
}

interface SlotProps {
  /** For `aria-describedby` of the field above. */
  id: string;
  /** The success, such as that a code was sent. */
  note?: ReactNode;
  /** Removes the note, but keeps its space. */
  isNoteOver?: boolean;
  /** Replaces the note. */
  error: ReactNode;
}

/** Shows one message below the button of a field, in reserved space: nothing moves when an error replaces a note. */
export function MessageSlot({ id, note, isNoteOver = false, error }: SlotProps) {
  return (
    <div id={id} className={styles.slot}>
      <div role="status" className={classNames((isNoteOver || Boolean(error)) && styles.noteOver)}>
        {note}
      </div>
      <div role="status">{error}</div>
    </div>
  );
}

/** The error of a field. */
export function FieldError({ children }: { children: ReactNode }) {
  return <p className={classNames(layout.failFill, layout.small, layout.strong, styles.error)}>{children}</p>;
}
