import type { Charge, ConnectProvider, HearOutcome, PaymentOutcome } from '../server/orders/payment';

/** A provider of payments that does what the test says, and takes the charges of one key once. */
export interface TestProvider {
  connect: ConnectProvider;
  /** The money that was taken, by key. */
  taken: Map<string, number>;
  /** How many times money was asked for. */
  asked: () => number;
  /** From now on charges are decided so; `silent` ones are taken and not answered, `lost` ones never arrive. */
  decide(how: PaymentOutcome | 'silent' | 'lost'): void;
  /** What `find` answers of charges that were not answered. Default: `pending`. */
  settle(outcome: PaymentOutcome): void;
  /** Tells the product an outcome, by itself. */
  tell: HearOutcome;
}

export function createTestProvider(): TestProvider {
  const heard = new Map<string, PaymentOutcome | 'silent'>();
  const taken = new Map<string, number>();
  const hearers: HearOutcome[] = [];
  let how: PaymentOutcome | 'silent' | 'lost' = 'approved';
  let settled: PaymentOutcome | undefined;
  let asked = 0;

  function take({ key, amountCents }: Charge): void {
    taken.set(key, amountCents);
  }

  return {
    taken,
    asked: () => asked,
    decide: (next) => {
      how = next;
    },
    settle: (outcome) => {
      settled = outcome;
    },
    tell: async (key, outcome) => {
      for (const hear of hearers) await hear(key, outcome);
    },
    connect(hear) {
      hearers.push(hear);
      return {
        async charge(charge) {
          asked += 1;
          if (how === 'lost') throw new Error('the connection was cut');
          const outcome = heard.get(charge.key) ?? how;
          heard.set(charge.key, outcome);
          if (outcome === 'silent') throw new Error('no answer came');
          if (outcome === 'approved') take(charge);
          return outcome;
        },
        async find(charge) {
          const outcome = heard.get(charge.key);
          if (outcome === undefined) return 'unknown';
          const known = outcome === 'silent' ? settled : outcome;
          if (known === 'approved') take(charge);
          return known ?? 'pending';
        },
      };
    },
  };
}
