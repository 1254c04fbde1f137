'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../_components/ui/button';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { useQueryClient } from '../_trpc/query';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply, RefusalData } from '../_trpc/types';
import { useMutation } from '../_trpc/use-mutation';
import { TAP_COUNT, type TapTally, useAttempt } from './use-purchase';

interface Props {
  coupon: Pick<Coupon, 'id' | 'kind'>;
  /** The sale is not open, or a refusal is still active. */
  closed: boolean;
  onDone(tally: TapTally): void;
}

/** A button that clicks many times at once, to show the visitor's own limit. */
export default function TapButton({ coupon, closed, onDone }: Props) {
  const t = useTranslations('taps');
  const { tap, responseCount } = useTaps(coupon, onDone);
  return (
    <Button size="large" closed={closed} busy={responseCount !== undefined} onClick={() => tap(TAP_COUNT)}>
      {t('tap', { count: responseCount === undefined ? TAP_COUNT : TAP_COUNT - responseCount })}
    </Button>
  );
}

/** The interval of the clicks: faster than a person, slower than a script. */
const TAP_INTERVAL_MS = 60;

interface Taps {
  /** Clicks the given number of times, each with its own request id. */
  tap(times: number): void;
  /** The number of responses; `undefined` while not tapping. */
  responseCount: number | undefined;
}

/** Clicks in quick succession, without waiting for the previous response. */
function useTaps(
  { id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>,
  onDone: (tally: TapTally) => void,
): Taps {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { signIn, call } = useAttempt();
  const [responseCount, setResponseCount] = useState(0);

  const { mutate, isPending } = useMutation({
    async mutationFn(times: number) {
      setResponseCount(0);
      await signIn();
      const results: TapResult[] = [];
      await Promise.all(
        Array.from({ length: times }, async (_, index) => {
          await sleep(index * TAP_INTERVAL_MS);
          results.push(await settle(call({ kind, couponId, requestId: newRequestId() })));
          setResponseCount(results.length);
        }),
      );
      return tallyTaps(results);
    },
    onSuccess: onDone,
    onError: (error) => onDone(tallyTaps([{ problem: problemOf(error) }])),
    onSettled: () => queryClient.invalidateQueries(trpc.limit.mine.queryFilter()),
  });

  return { tap: mutate, responseCount: isPending ? responseCount : undefined };
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

/** The result of one of many clicks. */
export type TapResult = { reply: PurchaseReply } | { problem: Problem };

/** Counts results in the order of their arrival. */
export function tallyTaps(results: TapResult[]): TapTally {
  const replies = results.flatMap((result) => ('reply' in result ? [result.reply] : []));
  const refusals = results.flatMap((result) =>
    'problem' in result && result.problem.kind === 'refused' ? [result.problem.refusal] : [],
  );
  return {
    total: results.length,
    admitted: replies.length,
    refused: refusals.length,
    failed: results.length - replies.length - refusals.length,
    bought: replies.some(({ outcome }) => outcome === 'accepted'),
    levels: listLevels(refusals),
    retryAfterMs: refusals.at(-1)?.retryAfterMs,
  };
}

function listLevels(refusals: RefusalData[]): RefusalData[] {
  const count = (level: string) => refusals.filter((refusal) => refusal.level === level).length;
  return refusals
    .filter(({ level }, index) => refusals.findIndex((other) => other.level === level) === index)
    .toSorted((a, b) => count(b.level) - count(a.level));
}
