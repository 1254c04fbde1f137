import type {
  Charge,
  ConnectProvider,
  OnOutcome,
  PaymentOutcome,
  RefundOutcome,
} from '../server/sale/orders/payment-provider';

/** A payment provider that the test controls. It takes the money of one key at most once. */
export interface TestProvider {
  connect: ConnectProvider;
  /** The taken amounts by key. */
  taken: Map<string, number>;
  /** Returns the number of charge calls. */
  chargeCalls: () => number;
  /** Sets the outcome of later charges. `silent`: taken, but not answered. `lost`: never received. */
  decide(how: PaymentOutcome | 'silent' | 'lost'): void;
  /** Sets the answer of `find` for silent charges. Default: `pending`. */
  settle(outcome: PaymentOutcome): void;
  /** The refunded amounts by key. */
  returned: Map<string, number>;
  /** Returns the number of refund calls. */
  refundCalls: () => number;
  /** Sets the outcome of later refunds. `silent`: sent, but not answered. `lost`: never received. Default: `sent`. */
  decideRefunds(how: RefundOutcome | 'silent' | 'lost'): void;
  /** Notifies the product of an outcome. */
  notify: OnOutcome;
}

export function createTestProvider(): TestProvider {
  const outcomes = new Map<string, PaymentOutcome | 'silent'>();
  const taken = new Map<string, number>();
  const listeners: OnOutcome[] = [];
  let how: PaymentOutcome | 'silent' | 'lost' = 'approved';
  let settled: PaymentOutcome | undefined;
  let chargeCalls = 0;
  const charges = new Map<string, Charge>();
  const returned = new Map<string, number>();
  let refundHow: RefundOutcome | 'silent' | 'lost' = 'sent';
  let refundCalls = 0;

  function take({ key, amountCents }: Charge): void {
    taken.set(key, amountCents);
  }

  return {
    taken,
    chargeCalls: () => chargeCalls,
    returned,
    refundCalls: () => refundCalls,
    decideRefunds: (next) => {
      refundHow = next;
    },
    decide: (next) => {
      how = next;
    },
    settle: (outcome) => {
      settled = outcome;
    },
    notify: async (key, outcome) => {
      const charge = charges.get(key);
      if (charge && outcome === 'approved') take(charge);
      for (const onOutcome of listeners) await onOutcome(key, outcome);
    },
    connect(onOutcome) {
      listeners.push(onOutcome);
      return {
        async charge(charge) {
          chargeCalls += 1;
          charges.set(charge.key, charge);
          if (how === 'lost') throw new Error('the connection was cut');
          const outcome = outcomes.get(charge.key) ?? how;
          outcomes.set(charge.key, outcome);
          if (outcome === 'silent') throw new Error('no answer came');
          if (outcome === 'approved') take(charge);
          return outcome;
        },
        async refund({ key, amountCents }) {
          refundCalls += 1;
          if (refundHow === 'lost') throw new Error('the connection was cut');
          if (refundHow === 'declined') return 'declined';
          if (taken.get(key) !== amountCents) throw new Error(`no money of ${key} was taken`);
          returned.set(key, amountCents);
          if (refundHow === 'silent') throw new Error('no answer came');
          return 'sent';
        },
        async find(charge) {
          const outcome = outcomes.get(charge.key);
          if (outcome === undefined) return 'unknown';
          const known = outcome === 'silent' ? settled : outcome;
          if (known === 'approved') take(charge);
          return known ?? 'pending';
        },
      };
    },
  };
}
