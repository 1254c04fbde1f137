import type { MutationObserver, UseMutationOptions } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from './client';
import { shownUser } from './shown-user';
import { waitForPaint } from './wait-for-paint';

/** The last call; before the first, `variables` is undefined. */
type MutationState<Data, Failure, Input> =
  | { status: 'idle'; data: undefined; error: null; variables: undefined; isPending: false }
  | { status: 'pending'; data: undefined; error: null; variables: Input; isPending: true }
  | { status: 'success'; data: Data; error: null; variables: Input; isPending: false }
  | { status: 'error'; data: undefined; error: Failure; variables: Input; isPending: false };

type Mutation<Data, Failure, Input> = MutationState<Data, Failure, Input> & {
  mutate(input: Input): void;
  /** Drops the last call. Its result is ignored. */
  reset(): void;
  isSuccess: boolean;
  isError: boolean;
};

const idle = {
  status: 'idle',
  data: undefined,
  error: null,
  variables: undefined,
  isPending: false,
} as const;

/**
 * `useMutation` of React Query, whose code loads after the page. A call is pending at once. It is sent when the code has
 * loaded and the pending state is visible: on a phone, the first call takes 50 ms to prepare. `meta` names the user of the
 * call, the one that the page showed then.
 */
export function useMutation<Data, Failure = Error, Input = void, Result = unknown>(
  options: UseMutationOptions<Data, Failure, Input, Result>,
): Mutation<Data, Failure, Input> {
  const api = useApi();
  const [state, setState] = useState<MutationState<Data, Failure, Input>>(idle);
  const observer = useRef<MutationObserver<Data, Failure, Input, Result>>(undefined);
  const latestOptions = useRef(options);
  const callCount = useRef(0);

  useEffect(() => {
    latestOptions.current = options;
    observer.current?.setOptions(options);
  });

  const mutate = useCallback(
    (variables: Input): void => {
      callCount.current += 1;
      const call = callCount.current;
      // Of the click: another user may be shown when the call is sent.
      const meta = { userName: shownUser.name };
      /** Shows the result, unless it is that of an older call. */
      function show(next: MutationState<Data, Failure, Input>): void {
        if (call === callCount.current) setState(next);
      }
      async function send(): Promise<Data> {
        const [{ MutationObserver, queryClient }] = await Promise.all([api.load(), waitForPaint()]);
        observer.current ??= new MutationObserver(queryClient, latestOptions.current);
        observer.current.setOptions({ ...latestOptions.current, meta });
        return observer.current.mutate(variables);
      }
      show({ status: 'pending', data: undefined, error: null, variables, isPending: true });
      send().then(
        (data) => show({ status: 'success', data, error: null, variables, isPending: false }),
        (error: Failure) => show({ status: 'error', data: undefined, error, variables, isPending: false }),
      );
    },
    [api],
  );

  const reset = useCallback(() => {
    callCount.current += 1;
    observer.current?.reset();
    setState(idle);
  }, []);

  return {
    ...state,
    mutate,
    reset,
    isSuccess: state.status === 'success',
    isError: state.status === 'error',
  };
}
