import type { Decision } from './decision';

/**
 * Lets few calls ask when a window that many were refused by opens again. The others wait for those answers: as many
 * more may ask as there is room, and when it is full again all are refused without asking.
 */
export interface Reopening {
  /** Asks, or waits its turn and then asks, or is told meanwhile (`known`) what the answer would be. */
  take(key: string, call: Turn): Promise<Decision>;
  /** Whether calls are asking or waiting for a key. */
  isBusy(key: string): boolean;
}

export interface Turn {
  ask: () => Promise<Decision>;
  /** The answer, where it has become certain while the call waited. */
  known: () => Decision | undefined;
  /** Whether the window is known to be full again. */
  isFull: () => boolean;
}

interface Queue {
  asking: number;
  /** How many may ask at once. */
  width: number;
  waiting: { go: () => void; fail: (error: unknown) => void }[];
}

/** So many find out; it takes more than one, since one may be refused for a reason of its own. */
const PROBES = 4;

export function createReopening(): Reopening {
  const queues = new Map<string, Queue>();

  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { asking: 0, width: PROBES, waiting: [] };
    queues.set(key, queue);
    return queue;
  }

  function call(queue: Queue, most: number): void {
    for (const { go } of queue.waiting.splice(0, most)) go();
  }

  return {
    isBusy: (key) => queues.has(key),

    async take(key, { ask, known, isFull }) {
      const queue = queueOf(key);
      while (queue.asking >= queue.width) {
        await new Promise<void>((go, fail) => queue.waiting.push({ go, fail }));
        const answer = known();
        if (answer) return answer;
      }
      queue.asking += 1;
      try {
        const decision = await ask();
        queue.width = Math.max(PROBES, room(decision));
        return decision;
      } catch (error) {
        // The store is away: nobody behind may wait for it once more.
        for (const { fail } of queue.waiting.splice(0)) fail(error);
        throw error;
      } finally {
        queue.asking -= 1;
        call(queue, isFull() ? queue.waiting.length : queue.width - queue.asking);
        if (queue.asking === 0 && queue.waiting.length === 0) queues.delete(key);
      }
    },
  };
}

/** How many calls like this one would still fit. */
function room(decision: Decision): number {
  if (!decision.allowed || decision.levels.length === 0) return 0;
  return decision.levels.at(-1)?.remaining ?? 0;
}
