import type { Order } from '../orders/order';

/** A call that waits for its order to be settled. */
export interface WaitingCall {
  /** Resolves to the order when the ledger has settled it, or to undefined after `timeoutMs`. Ends the wait. */
  waitForOrder(timeoutMs: number): Promise<Order | undefined>;
  /** Ends the wait for an order that was not made. */
  cancel(): void;
}

/** The calls of this node that wait for their orders. */
export interface WaitingCalls {
  /** Adds a call. Call it before the purchase: another node's ledger may be faster than the gate's reply. */
  add(orderId: string): WaitingCall;
  /** Resolves the calls that wait for these orders. */
  notify(orders: readonly Order[]): void;
}

interface Waiting {
  settled?: Order;
  resolve?: (order: Order) => void;
}

/** Creates the waiting calls of a node. */
export function createWaitingCalls(): WaitingCalls {
  /** By order id. Several calls with one request id wait for the same order. */
  const waitingByOrder = new Map<string, Set<Waiting>>();
  return {
    add(orderId) {
      const waiting: Waiting = {};
      const calls = waitingByOrder.get(orderId) ?? new Set();
      waitingByOrder.set(orderId, calls.add(waiting));
      const cancel = () => {
        calls.delete(waiting);
        if (calls.size === 0 && waitingByOrder.get(orderId) === calls) waitingByOrder.delete(orderId);
      };
      return {
        cancel,
        waitForOrder(timeoutMs) {
          return new Promise<Order | undefined>((resolve) => {
            if (waiting.settled) return resolve(waiting.settled);
            const timer = setTimeout(() => resolve(undefined), timeoutMs);
            waiting.resolve = (order) => {
              clearTimeout(timer);
              resolve(order);
            };
          }).finally(cancel);
        },
      };
    },
    notify(orders) {
      for (const order of orders) {
        for (const waiting of waitingByOrder.get(order.id) ?? []) {
          waiting.settled = order;
          waiting.resolve?.(order);
        }
      }
    },
  };
}
