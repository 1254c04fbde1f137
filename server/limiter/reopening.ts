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
}

interface Queue {
  /** Calls whose turn it is. */
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

  async function askFor(queue: Queue, ask: Turn['ask']): Promise<Decision> {
    try {
      const decision = await ask();
      queue.width = Math.max(PROBES, room(decision));
      return decision;
    } catch (error) {
      // The store is away: nobody behind may wait for it once more.
      for (const { fail } of queue.waiting.splice(0)) fail(error);
      throw error;
    }
  }

  /** Ends a turn, also one that asked nothing: whoever waits has only turns that end to be called by. */
  function endTurn(key: string, queue: Queue): void {
    queue.asking -= 1;
    const called = queue.waiting.splice(0, Math.max(0, queue.width - queue.asking));
    queue.asking += called.length;
    for (const { go } of called) go();
    if (queue.asking === 0) queues.delete(key);
  }

  return {
    isBusy: (key) => queues.has(key),

    async take(key, { ask, known }) {
      const queue = queueOf(key);
      const waits = queue.asking >= queue.width;
      if (waits) await new Promise<void>((go, fail) => queue.waiting.push({ go, fail }));
      else queue.asking += 1;
      try {
        return (waits ? known() : undefined) ?? (await askFor(queue, ask));
      } finally {
        endTurn(key, queue);
      }
    },
  };
}

/** How many more calls the widest level lets in, which says also who was refused by another. */
function room({ levels }: Decision): number {
  return levels.at(-1)?.remaining ?? 0;
}
