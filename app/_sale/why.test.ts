import { expect, test } from 'vitest';
import { explainRefusal } from './why';

const refusal = { refusedAt: 20_000, retryAfterMs: 4_000, windowMs: 10_000 };

test('the hit that leaves first frees the next slot, one window after it came', () => {
  // about 20 000 + 4 000 − 10 000 = 14 000; the response took 13 ms
  expect(explainRefusal({ ...refusal, hits: [13_987, 15_000, 19_000] })).toMatchObject({
    leaving: 13_987,
    freeAt: 23_987,
    from: 10_000,
    until: 23_987,
  });
});

test('without hits, the wait determines the leaving instant', () => {
  expect(explainRefusal(refusal)).toMatchObject({ hits: [], leaving: 14_000, freeAt: 24_000 });
});

test('a hit far from the computed instant is ignored', () => {
  expect(explainRefusal({ ...refusal, hits: [17_000] })).toMatchObject({ leaving: 14_000 });
});
