import type { ConnectProvider, PaymentOutcome } from './payment';

/** The cards of the demo, one for each course of a payment. */
export const demoCards = ['approves', 'declines', 'times-out', 'answers-twice'] as const;

/** Delay of the decision of a charge without a reply. */
const DECISION_DELAY_MS = 4_000;

/**
 * Connects a provider that takes no money and stores nothing. The card alone decides the outcome, so every node gives the
 * same reply, also after a restart. `now` is epoch ms.
 */
export function connectDemoProvider({ now = Date.now }: { now?: () => number } = {}): ConnectProvider {
  return function connect(onOutcome) {
    return {
      async charge({ key, method }) {
        const outcome = outcomeOf(method);
        if (method === 'times-out') return new Promise<never>(() => undefined);
        if (method === 'answers-twice') await onOutcome(key, outcome);
        return outcome;
      },

      refund: async () => 'sent',

      async find({ method, requestedAt: askedAt }) {
        return method === 'times-out' && now() < askedAt + DECISION_DELAY_MS ? 'pending' : outcomeOf(method);
      },
    };
  };
}

function outcomeOf(method: string): PaymentOutcome {
  return method === 'declines' ? 'declined' : 'approved';
}
