import type { useQueryClient } from '@tanstack/react-query';
import type { useTRPC } from '../_trpc/client';
import type { Order } from '../_trpc/types';
import { withOrder } from './order-state';
import type { OrderList } from './use-orders';

/** The cache with the viewer's orders. */
export interface OrderCache {
  trpc: ReturnType<typeof useTRPC>;
  queryClient: ReturnType<typeof useQueryClient>;
}

/** Adds an order to the list at once, then reads the list again. */
export async function rememberOrder(order: Order, { trpc, queryClient }: OrderCache): Promise<void> {
  // A running read may have begun before the purchase.
  await queryClient.cancelQueries(trpc.order.list.queryFilter());
  queryClient.setQueryData(trpc.order.list.queryKey(), (before?: OrderList) => ({
    ...before,
    orders: withOrder(ordersOf(before, order.userId), order),
  }));
  void queryClient.invalidateQueries(trpc.order.list.queryFilter());
}

function ordersOf(list: OrderList | undefined, userId: string): Order[] {
  return list?.orders.filter((order) => order.userId === userId) ?? [];
}
