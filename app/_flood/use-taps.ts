import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createPurchaseCalls } from '../_sale/send-click';
import { usePurchaseContext } from '../_sale/use-purchase';
import { newRequestId } from '../_shell/request-id';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import type { Coupon, PurchaseReply, RefusalData } from '../_trpc/types';
import { recordRefusal } from '../_window/record-refusal';
import { useRefusalStores } from '../_window/refusals';

/** The clicks of one burst: enough to exceed the visitor's own limit. */
export const TAP_COUNT = 20;
/** The interval of the clicks: faster than a person, slower than a script. */
const TAP_INTERVAL_MS = 60;

/** The results of a burst of clicks. */
export interface TapTally {
  total: number;
  /** Calls that the limits admitted, whatever their outcome. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** Calls without a decision: no response, or an error. */
  failed: number;
  /** A click bought the coupon. */
  bought: boolean;
  /** The limits that refused, each once, the most frequent first. */
  levels: Pick<RefusalData, 'level' | 'algorithm' | 'limit' | 'windowMs'>[];
  /** The wait of the last refusal, null if an operator blocks the calls; `undefined` without one. */
  retryAfterMs: number | null | undefined;
}

interface Taps {
  /** Clicks a coupon `TAP_COUNT` times, each with its own request id. */
  tap(coupon: Pick<Coupon, 'id' | 'kind'>): void;
  /** The number of responses; `undefined` while not tapping. */
  responseCount: number | undefined;
  /** The results of the last burst. */
  tally: TapTally | undefined;
}

/** Clicks in quick succession, without waiting for the previous response. */
export function useTaps(): Taps {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { signIn, call } = createPurchaseCalls(usePurchaseContext());
  const refusals = useRefusalStores();
  const [responseCount, setResponseCount] = useState(0);
  const [tally, setTally] = useState<TapTally>();

  const { mutate, isPending } = useMutation({
    async mutationFn({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>) {
      setResponseCount(0);
      await signIn();
      const results: TapResult[] = [];
      await Promise.all(
        Array.from({ length: TAP_COUNT }, async (_, index) => {
          await sleep(index * TAP_INTERVAL_MS);
          results.push(await settle(call({ kind, couponId, requestId: newRequestId() })));
          setResponseCount(results.length);
        }),
      );
      return tallyTaps(results);
    },
    onSuccess(counted, { kind }) {
      setTally(counted);
      const [level] = counted.levels;
      const { retryAfterMs, refused: count } = counted;
      if (level && retryAfterMs !== undefined) {
        recordRefusal({ ...level, policy: `coupon.${kind}`, retryAfterMs, count }, refusals);
      }
    },
    onError: (error) => setTally(tallyTaps([{ problem: problemOf(error) }])),
    onSettled: () => queryClient.invalidateQueries(trpc.limit.mine.queryFilter()),
  });

  return { tap: mutate, responseCount: isPending ? responseCount : undefined, tally };
}

async function settle(call: Promise<PurchaseReply>): Promise<TapResult> {
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
