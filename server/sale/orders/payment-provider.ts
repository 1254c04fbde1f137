/** A charge. It is the same for every request about it. */
export interface Charge {
  /** The idempotency key: the provider takes the money once per key. */
  key: string;
  amountCents: number;
  /** The means of payment, such as a card. */
  method: string;
  /** Time of the first request, in epoch ms. */
  requestedAt: number;
}

/** The provider's final decision of a charge. */
export type PaymentOutcome = 'approved' | 'declined';

/** `sent`: the provider refunds. `declined`: it does not, so a person must. */
export type RefundOutcome = 'sent' | 'declined';

/** The port to a payment provider. */
export interface PaymentProvider {
  /**
   * Requests the money. If it rejects or does not reply in time, the outcome is unknown, and `find` is called later.
   */
  charge(charge: Charge): Promise<PaymentOutcome>;
  /** Returns the state of a charge; `unknown` if the provider has never received its key. */
  find(charge: Charge): Promise<PaymentOutcome | 'pending' | 'unknown'>;
  /**
   * Refunds an approved charge, once per key. If it rejects or does not reply in time, it is called again later.
   */
  refund(charge: Charge): Promise<RefundOutcome>;
}

/** Handles an outcome that the provider sends, at any time and any number of times. */
export type OnOutcome = (key: string, outcome: PaymentOutcome) => Promise<void>;

/** Connects a provider to the handler of its outcomes. */
export type ConnectProvider = (onOutcome: OnOutcome) => PaymentProvider;

/** The message of a request to the provider that takes too long. */
export const PROVIDER_LATE = 'The payment provider did not answer in time.';

/** The cards of the demo, one for each course of a payment. */
export const demoCards = ['approves', 'declines', 'times-out', 'answers-twice'] as const;

/** Delay of the decision of a charge without a reply. */
const DECISION_DELAY_MS = 4_000;

/**
 * Creates a provider that takes no money and stores nothing. The card alone decides the outcome, so every node gives the
 * same reply, also after a restart. `now` is epoch ms.
 */
export function createDemoProvider({ now = Date.now }: { now?: () => number } = {}): ConnectProvider {
  return function connect(onOutcome) {
    return {
      async charge({ key, method }) {
        const outcome = outcomeOf(method);
        if (method === 'times-out') return new Promise<never>(() => undefined);
        if (method === 'answers-twice') await onOutcome(key, outcome);
        return outcome;
      },

      refund: async () => 'sent',

      async find({ method, requestedAt }) {
        return method === 'times-out' && now() < requestedAt + DECISION_DELAY_MS
          ? 'pending'
          : outcomeOf(method);
      },
    };
  };
}

function outcomeOf(method: string): PaymentOutcome {
  return method === 'declines' ? 'declined' : 'approved';
}
