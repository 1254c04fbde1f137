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
