import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { stopwatch } from '../_live/clock';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';

/** What became of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem };

interface Purchase {
  /** One click: one request id. */
  press(): void;
  busy: boolean;
  result: PurchaseResult;
  /** After a refusal: the instant of the stopwatch at which the gate admits again. */
  againAt: number | undefined;
}

/** A closed gate opens for everybody at one moment; a little chance keeps them from coming all at once. */
const jitterMs = () => Math.random() * 300;

/** Buys one coupon, click by click. What became of a click stays to be read until the next one has its answer. */
export function usePurchase({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>): Purchase {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const attempt = useAttempt();
  const [result, setResult] = useState<PurchaseResult>({ kind: 'none' });
  const [againAt, setAgainAt] = useState<number>();

  const { mutate, isPending } = useMutation({
    mutationFn: () => attempt({ kind, couponId, requestId: newRequestId() }),
    onSuccess: (reply) => setResult({ kind: 'reply', reply }),
    onError(error) {
      const problem = problemOf(error);
      setResult({ kind: 'problem', problem });
      if (problem.kind === 'refused') setAgainAt(stopwatch.now() + problem.refusal.retryAfterMs + jitterMs());
    },
    onSettled() {
      void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    },
  });

  return { press: () => mutate(), busy: isPending, result: useSettled(result), againAt };
}

interface Click {
  kind: Coupon['kind'];
  couponId: string;
  requestId: string;
}

/**
 * One click from beginning to end. A demo visitor who is nobody yet becomes somebody and the click goes on; a reply that
 * was lost on its way is asked for once more under the same request id, which neither charges nor buys twice.
 */
function useAttempt(): (click: Click) => Promise<PurchaseReply> {
  const client = useTRPCClient();
  const { user, demo, signInDemo } = useViewer();

  const call = ({ kind, ...input }: Click): Promise<PurchaseReply> =>
    kind === 'seckill' ? client.coupon.seckill.mutate(input) : client.coupon.claim.mutate(input);

  return async function attempt(click) {
    if (demo && !user) await signInDemo();
    try {
      return await call(click);
    } catch (error) {
      const { kind } = problemOf(error);
      if (kind === 'signed-out' && demo) await signInDemo();
      else if (kind !== 'lost') throw error;
      return await call(click);
    }
  };
}

/** An accepted order may come back still reserved; it is asked after until the ledger has it. */
function useSettled(result: PurchaseResult): PurchaseResult {
  const trpc = useTRPC();
  const order = result.kind === 'reply' && 'order' in result.reply ? result.reply.order : undefined;
  const { data } = useQuery(
    trpc.order.byId.queryOptions(
      { id: order?.id ?? '' },
      {
        enabled: order?.status === 'reserved',
        refetchInterval: ({ state }) =>
          state.data === undefined || state.data.order.status === 'reserved' ? 1_000 : false,
      },
    ),
  );
  if (result.kind !== 'reply' || !('order' in result.reply) || data?.order.id !== order?.id) return result;
  return { kind: 'reply', reply: { ...result.reply, order: data?.order ?? result.reply.order } };
}
