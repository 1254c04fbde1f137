import type { ConnectProvider, PaymentOutcome } from './payment';

/** The cards of the demo, each with one way in which a payment can go. */
export const demoCards = ['approves', 'declines', 'times-out', 'answers-twice'] as const;

/** A charge that got no answer is decided this long after it was asked for. */
const LATE_MS = 4_000;

/**
 * A provider that takes no money and remembers nothing: the card says what becomes of a charge, so that every node,
 * also after a restart, gives the same answer. `now` is epoch ms.
 */
export function connectDemoProvider({ now = Date.now }: { now?: () => number } = {}): ConnectProvider {
  return function connect(hear) {
    return {
      async charge({ key, method }) {
        const outcome = outcomeOf(method);
        if (method === 'times-out') return new Promise<never>(() => undefined);
        if (method === 'answers-twice') await hear(key, outcome);
        return outcome;
      },

      refund: async () => 'sent',

      async find({ method, requestedAt: askedAt }) {
        return method === 'times-out' && now() < askedAt + LATE_MS ? 'pending' : outcomeOf(method);
      },
    };
  };
}

function outcomeOf(method: string): PaymentOutcome {
  return method === 'declines' ? 'declined' : 'approved';
}
