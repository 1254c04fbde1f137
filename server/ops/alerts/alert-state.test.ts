import { expect, test } from 'vitest';
import { addValue } from './alert-state';

const RAISED = 1_000_000;
const start = { raisedAt: RAISED, value: 5, values: [5], spanMs: 1_000 };

test.each([
  ['a second value of a span keeps the higher one', [[500, 4]], [5]],
  ['the value of the next span follows', [[1_000, 7]], [5, 7]],
  ['spans without a value repeat the one before', [[3_000, 9]], [5, 5, 5, 9]],
  [
    'a clock that steps back changes the last span',
    [
      [2_000, 6],
      [-9_000, 8],
    ],
    [5, 5, 8],
  ],
  ['a share has three decimals', [[1_000, 0.98765]], [5, 0.988]],
] as const)('%s', (_name, readings, values) => {
  const course = readings.reduce(
    (before, [after, value]) => addValue(before, { value, now: RAISED + after }),
    { ...start, values: [...start.values] },
  );
  expect(course.values).toEqual(values);
});

test('a course of any length has at most 40 spans, and keeps its highest value', () => {
  let course = { ...start, values: [...start.values] };
  for (let second = 1; second <= 7_200; second += 1) {
    course = addValue(course, { value: second === 3_000 ? 99 : 1, now: RAISED + second * 1_000 });
  }
  expect(course.values.length).toBeLessThanOrEqual(40);
  expect(course.values.length).toBeGreaterThan(20);
  expect(course.values.indexOf(99)).toBe(Math.floor(3_000_000 / course.spanMs));
});
