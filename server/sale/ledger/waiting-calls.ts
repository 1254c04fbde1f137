import type { Order } from '../orders/order';

/** A call's interest in what becomes of its order. */
export interface WaitingCall {
  /** The order once the ledger has settled it, or `undefined` after `timeoutMs`. Ends the expectation. */
  waitForOrder(timeoutMs: number): Promise<Order | undefined>;
  /** Ends the expectation of an order that was not made. */
  cancel(): void;
}

/** The calls of this node that wait to hear what became of their orders. */
export interface WaitingCalls {
  /** To be called before the order is made: another node's ledger may be quicker than the gate's reply. */
  add(orderId: string): WaitingCall;
  /** Tells whoever waits for these orders. */
  notify(orders: readonly Order[]): void;
}

interface Expected {
  settled?: Order;
  resolve?: (order: Order) => void;
}

export function createWaitingCalls(): WaitingCalls {
  /** By order id; calls with one request id wait for one order. */
  const expected = new Map<string, Set<Expected>>();
  return {
    add(orderId) {
      const expectation: Expected = {};
      const calls = expected.get(orderId) ?? new Set();
      expected.set(orderId, calls.add(expectation));
      const cancel = () => {
        calls.delete(expectation);
        if (calls.size === 0 && expected.get(orderId) === calls) expected.delete(orderId);
      };
      return {
        cancel,
        waitForOrder(timeoutMs) {
          return new Promise<Order | undefined>((resolve) => {
            if (expectation.settled) return resolve(expectation.settled);
            const timer = setTimeout(() => resolve(undefined), timeoutMs);
            expectation.resolve = (order) => {
              clearTimeout(timer);
              resolve(order);
            };
          }).finally(cancel);
        },
      };
    },
    notify(orders) {
      for (const order of orders) {
        for (const expectation of expected.get(order.id) ?? []) {
          expectation.settled = order;
          expectation.resolve?.(order);
        }
      }
    },
  };
}
