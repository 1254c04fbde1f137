import { useViewer } from '../_shell/viewer-provider';
import { useTRPC } from '../_trpc/client';
import { useQuery, useQueryClient } from '../_trpc/query';
import type { Order } from '../_trpc/types';
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

/** Returns a function that adds an order to the list at once, then reads the list again. */
export function useRememberOrder(): (order: Order) => Promise<void> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return async function rememberOrder(order) {
    // A running read may have begun before the purchase.
    await queryClient.cancelQueries(trpc.order.list.queryFilter());
    queryClient.setQueryData(trpc.order.list.queryKey(), (before?: OrderList) => ({
      ...before,
      orders: withOrder(ordersOf(before, order.userId), order),
    }));
    void queryClient.invalidateQueries(trpc.order.list.queryFilter());
  };
}

function ordersOf(list: OrderList | undefined, userId: string): Order[] {
  return list?.orders.filter((order) => order.userId === userId) ?? [];
}
