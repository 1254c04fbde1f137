import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { useTRPCClient } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { DemoCard } from '../_trpc/types';

export interface OrderChange {
  pay(card: DemoCard): void;
  cancel(): void;
  /** The running action, until the page shows its result. */
  underWay: 'pay' | 'cancel' | undefined;
  /** The last call succeeded. */
  isDone: boolean;
  problem: Problem | undefined;
}

type Change = { what: 'pay'; card: DemoCard } | { what: 'cancel' };

/** Pays or cancels an order, then refreshes the page. */
export function useOrderChange(id: string): OrderChange {
  const { order } = useTRPCClient();
  const router = useRouter();
  const [isRefreshing, refresh] = useTransition();

  /** A lost reply is requested once more with the same request id, which neither pays nor cancels twice. */
  async function send(change: Change) {
    const requestId = newRequestId();
    const call = () =>
      change.what === 'pay'
        ? order.pay.mutate({ id, requestId, card: change.card })
        : order.cancel.mutate({ id, requestId });
    try {
      return await call();
    } catch (error) {
      if (problemOf(error).kind !== 'lost') throw error;
      return await call();
    }
  }

  const { mutate, isPending, isSuccess, variables, error } = useMutation({
    mutationFn: send,
    onSettled: () => refresh(() => router.refresh()),
  });

  return {
    pay: (card) => mutate({ what: 'pay', card }),
    cancel: () => mutate({ what: 'cancel' }),
    underWay: isPending || isRefreshing ? variables?.what : undefined,
    isDone: isSuccess,
    problem: error ? problemOf(error) : undefined,
  };
}
