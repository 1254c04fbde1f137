import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSketch, mergeSummaries, type Summary } from './space-saving';

const people = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'];
const stream = fc.array(fc.constantFrom(...people), { maxLength: 300 });

function sketched(calls: readonly string[], counters: number): Summary {
  const sketch = createSketch(counters);
  for (const person of calls) sketch.count(person, () => person.toUpperCase());
  return sketch.summary();
}

/** Every bound of a summary holds of what really happened. */
function expectTrue({ entries, othersAtMost }: Summary, calls: readonly string[]): void {
  for (const person of people) {
    const times = calls.filter((one) => one === person).length;
    const entry = entries.find(({ ref }) => ref === person);
    expect(times).toBeGreaterThanOrEqual(entry?.atLeast ?? 0);
    expect(times).toBeLessThanOrEqual(entry?.atMost ?? othersAtMost);
  }
}

test('with a counter per subject, counts are exact', () => {
  const { entries, othersAtMost } = sketched(['ada', 'bob', 'ada'], 8);
  expect(entries).toEqual([
    { ref: 'ada', subject: 'ADA', atLeast: 2, atMost: 2 },
    { ref: 'bob', subject: 'BOB', atLeast: 1, atMost: 1 },
  ]);
  expect(othersAtMost).toBe(0);
});

test('for any input, all bounds hold, and no error is above calls / counters', () => {
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 8 }), (calls, counters) => {
      const summary = sketched(calls, counters);
      expect(summary.entries.length).toBeLessThanOrEqual(counters);
      expectTrue(summary, calls);
      for (const { atLeast, atMost } of summary.entries) {
        expect(atMost - atLeast).toBeLessThanOrEqual(calls.length / counters);
      }
    }),
  );
});

test('for any summaries, all bounds of their merge hold', () => {
  fc.assert(
    fc.property(fc.array(stream, { maxLength: 4 }), fc.integer({ min: 1, max: 8 }), (streams, counters) => {
      const merged = mergeSummaries(
        streams.map((calls) => sketched(calls, counters)),
        counters,
      );
      expect(merged.entries.length).toBeLessThanOrEqual(counters);
      expectTrue(merged, streams.flat());
    }),
  );
});
