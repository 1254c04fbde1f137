import { describe, expect, test } from 'vitest';
import { measuredStores, useTestLab } from '../../test/lab';

const arrivals = { people: 90, pollers: 10, limit: 20, windowMs: 10_000 };

describe.each(measuredStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test('pollers wait less by refusals, and as long as people in the queue, with the same result each time', async () => {
    const compared = await lab().compareFairness({ ...arrivals, stock: null });
    const { refusals, queue } = compared;
    for (const side of [refusals, queue]) {
      expect(side.people.admittedAt).toHaveLength(90);
      expect(side.pollers.admittedAt).toHaveLength(10);
      expect(side.worst).toBe(20);
    }
    const ratio = ({ people, pollers }: typeof queue) => (pollers.meanWaitMs ?? 0) / (people.meanWaitMs ?? 0);
    expect(ratio(refusals)).toBeLessThan(0.5);
    expect(ratio(queue)).toBeGreaterThan(0.95);
    expect(ratio(queue)).toBeLessThan(1.05);
    expect(await lab().compareFairness({ ...arrivals, stock: null })).toEqual(compared);
  });

  test('a stock of 20: pollers get most of it by refusals, and their share in the queue', async () => {
    const { refusals, queue } = await lab().compareFairness({ ...arrivals, stock: 20 });
    expect(refusals.pollers.admittedAt.length).toBeGreaterThanOrEqual(8);
    expect(queue.pollers.admittedAt).toHaveLength(2);
    expect(queue.people.admittedAt).toHaveLength(18);
  });
});
