import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../_trpc/client';
import type { Order } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';

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
