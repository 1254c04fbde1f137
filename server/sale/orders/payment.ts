/** Money that is asked for. The same for every question about it, however often it is asked. */
export interface Charge {
  /** The provider takes a charge of one key once, however often it comes. */
  key: string;
  amountCents: number;
  /** What the provider takes the money from. */
  method: string;
  /** When it was first asked for, in epoch ms. */
  requestedAt: number;
}

/** What a provider decided of a charge. It never decides otherwise later. */
export type PaymentOutcome = 'approved' | 'declined';

/** `sent`: the money goes back. `declined`: the provider will not send it back, so a person does. */
export type RefundOutcome = 'sent' | 'declined';

/** Who takes the money. The product knows no more of it than this. */
export interface PaymentProvider {
  /**
   * Asks for the money. Where it rejects, or does not answer in time, nobody knows whether the money was taken: then
   * `find` is asked, later.
   */
  charge(charge: Charge): Promise<PaymentOutcome>;
  /** What became of a charge; `unknown` where the provider has never heard of its key. */
  find(charge: Charge): Promise<PaymentOutcome | 'pending' | 'unknown'>;
  /**
   * Sends the money of an approved charge back, once for each key, however often it is called. Where it rejects, or does
   * not answer in time, it is called again later.
   */
  refund(charge: Charge): Promise<RefundOutcome>;
}

/** Hears an outcome that the provider tells by itself: at any time, any number of times. */
export type OnOutcome = (key: string, outcome: PaymentOutcome) => Promise<void>;

/** Connects a provider to who hears of its outcomes. */
export type ConnectProvider = (hear: OnOutcome) => PaymentProvider;
