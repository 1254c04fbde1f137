import { levelKey } from '../../_live/level-key';
import type { OpsQueue } from './ops-event';

/** The total of served tickets at an instant of the server's clock. */
interface ServedSample {
  at: number;
  served: number;
}

/** The latest totals of each queue, oldest first, by the key of its level. */
export type ServedSamples = Readonly<Record<string, readonly ServedSample[]>>;

/** Time range of the rate. */
const RANGE_MS = 10_000;

/** Adds the totals of an event. A total that fell is that of an emptied Redis, and starts anew. */
export function addServedSamples(
  before: ServedSamples,
  { queues, serverNow }: { queues: readonly OpsQueue[]; serverNow: number },
): ServedSamples {
  const entries = queues.map((queue) => {
    const known = before[levelKey(queue)] ?? [];
    const isReset = (known.at(-1)?.served ?? 0) > queue.served;
    const kept = isReset ? [] : known.filter(({ at }) => at > serverNow - RANGE_MS);
    return [levelKey(queue), [...kept, { at: serverNow, served: queue.served }]] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the tickets served a second; 0 with fewer than two samples. */
export function servedPerSecond(samples: readonly ServedSample[] = []): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return 0;
  return ((last.served - first.served) * 1_000) / (last.at - first.at);
}
