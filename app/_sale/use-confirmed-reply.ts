import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../_trpc/client';
import type { PurchaseReply } from '../_trpc/types';

/** Polls an accepted order that is still reserved until the ledger has it. */
export function useConfirmedReply(reply: PurchaseReply): PurchaseReply {
  const trpc = useTRPC();
  const order = 'order' in reply ? reply.order : undefined;
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
  if (!('order' in reply) || data?.order.id !== order?.id) return reply;
  return { ...reply, order: data?.order ?? reply.order };
}
