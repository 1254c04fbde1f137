import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useTRPC } from '../_trpc/client';
import type { Order } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { withOrder } from './order-state';

/** The newest orders of a shopper: the first page of the wallet. */
export interface OrderList {
  orders: Order[];
  /** Absent on the last page. */
  nextCursor?: string;
}

interface Options {
  /** The list as rendered by the server. */
  rendered?: OrderList | undefined;
  /** Returns the time until the list is read again; `false` if it is not. */
  refetchMs?: (orders: readonly Order[]) => number | false;
}

const none: OrderList = { orders: [] };

/**
 * Returns the viewer's newest orders, first as rendered by the server, then updated. Returns none for an anonymous
 * viewer, and never those of a former user.
 */
export function useOrders({ rendered, refetchMs }: Options = {}): OrderList {
  const trpc = useTRPC();
  const { user } = useViewer();
  const { data } = useQuery(
    trpc.order.list.queryOptions(undefined, {
      enabled: user !== null,
      ...(rendered && { initialData: rendered }),
      ...(refetchMs && { refetchInterval: ({ state }) => refetchMs(state.data?.orders ?? []) }),
    }),
  );
  const isOwn = data?.orders.every(({ userId }) => userId === user?.id) ?? false;
  return data && isOwn ? data : none;
}

/** The cache with the viewer's orders. */
interface OrderCache {
  trpc: ReturnType<typeof useTRPC>;
  queryClient: QueryClient;
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
