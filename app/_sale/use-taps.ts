import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon } from '../_trpc/types';
import { type TapResult, type TapTally, tallyTaps } from './tap-tally';
import { useAttempt } from './use-attempt';

interface Taps {
  /** Clicks the given number of times, each with its own request id. */
  tap(times: number): void;
  /** The number of responses; `undefined` while not tapping. */
  answered: number | undefined;
}

/** The interval of the clicks: faster than a finger, slower than a script. */
const TAP_INTERVAL_MS = 60;

/** Clicks in quick succession, without waiting for the previous response. */
export function useTaps(
  { id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>,
  onDone: (tally: TapTally) => void,
): Taps {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { signIn, call } = useAttempt();
  const [answered, setAnswered] = useState(0);

  const { mutate, isPending } = useMutation({
    async mutationFn(times: number) {
      setAnswered(0);
      await signIn();
      const fates: TapResult[] = [];
      await Promise.all(
        Array.from({ length: times }, async (_, index) => {
          await sleep(index * TAP_INTERVAL_MS);
          fates.push(await settle(call({ kind, couponId, requestId: newRequestId() })));
          setAnswered(fates.length);
        }),
      );
      return tallyTaps(fates);
    },
    onSuccess: onDone,
    onError: (error) => onDone(tallyTaps([{ problem: problemOf(error) }])),
    onSettled: () => queryClient.invalidateQueries(trpc.limit.mine.queryFilter()),
  });

  return { tap: mutate, answered: isPending ? answered : undefined };
}

async function settle(call: ReturnType<ReturnType<typeof useAttempt>['call']>): Promise<TapResult> {
  try {
    return { reply: await call };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
