import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon } from '../_trpc/types';
import { type TapFate, type TapTally, tallyTaps } from './tap-tally';
import { useAttempt } from './use-attempt';

interface Taps {
  /** Clicks so often, each time as a click of its own. */
  tap(times: number): void;
  /** How many of them have their answer; `undefined` while nobody taps. */
  answered: number | undefined;
}

/** Between two clicks: faster than a finger, slower than a script. */
const paceMs = 60;

/** Clicks of this shopper in quick succession. None waits for the answer of the one before. */
export function useTaps(
  { id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>,
  onDone: (tally: TapTally) => void,
): Taps {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { enter, call } = useAttempt();
  const [answered, setAnswered] = useState(0);

  const { mutate, isPending } = useMutation({
    async mutationFn(times: number) {
      setAnswered(0);
      await enter();
      const fates: TapFate[] = [];
      await Promise.all(
        Array.from({ length: times }, async (_, place) => {
          await rest(place * paceMs);
          fates.push(await fateOf(call({ kind, couponId, requestId: newRequestId() })));
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

async function fateOf(call: ReturnType<ReturnType<typeof useAttempt>['call']>): Promise<TapFate> {
  try {
    return { reply: await call };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
