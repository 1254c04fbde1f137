import { expect, test } from 'vitest';
import { measureBetween, measureInRounds, median, spreadOf } from './rounds';

test('the median is the middle value in any order', () => {
  expect(median([0.9, 1, 0.95])).toBe(0.95);
  expect(median([7])).toBe(7);
});

test('of an even number of values it is the lower middle value', () => {
  expect(median([4, 1, 3, 2])).toBe(2);
});

test('without values it throws', () => {
  expect(() => median([])).toThrow(RangeError);
});

test('a spread is the median and the quartiles, in any order of rounds', () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
  expect(spreadOf([7, 1, 2, 3, 4, 5, 6, 9, 8])).toEqual({ median: 5, low: 3, high: 7 });
});

test('one round is its own spread', () => {
  expect(spreadOf([2])).toEqual({ median: 2, low: 2, high: 2 });
});

test('every other round is in reverse order, and each item has its results by round', async () => {
  const order: string[] = [];
  const notes: string[] = [];
  const taken = await measureInRounds(['a', 'b'], {
    rounds: 3,
    measure: async (item) => order.push(item),
    note: (text) => notes.push(text),
  });
  expect(order.join('')).toBe('abbaab');
  expect(notes).toEqual(['round 1 of 3', 'round 2 of 3', 'round 3 of 3']);
  expect(taken).toEqual(
    new Map([
      ['a', [1, 4, 5]],
      ['b', [2, 3, 6]],
    ]),
  );
});

test('an item is compared with the yardstick right before and right after it', async () => {
  const order: string[] = [];
  const taken = await measureBetween(['a', 'b'], {
    rounds: 1,
    yardstick: 'y',
    measure: async (item) => order.push(item),
    note: () => undefined,
  });
  expect(order.join('')).toBe('yayby');
  expect(taken).toEqual(
    new Map([
      [
        'y',
        [
          { own: 3, yardstick: [3, 3] },
          { own: 5, yardstick: [5, 5] },
        ],
      ],
      ['a', [{ own: 2, yardstick: [1, 3] }]],
      ['b', [{ own: 4, yardstick: [3, 5] }]],
    ]),
  );
});
