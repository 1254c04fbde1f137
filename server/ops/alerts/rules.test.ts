import { expect, test } from 'vitest';
import { nextRuleState, type RuleState } from './rules';

const thresholds = { raiseAt: 10, forMs: 1_000, clearAt: 5, clearMs: 2_000 };

/** Values by the instant at which they were measured → what changed, and when. */
const courses = [
  ['a value that stays high raises once', { 0: 10, 500: 12, 1000: 11, 5000: 99 }, ['raised 1000']],
  ['a peak that is too short raises nothing', { 0: 10, 999: 10, 1000: 9 }, []],
  ['a dip begins the wait anew', { 0: 10, 900: 9, 1000: 10, 1900: 10, 2000: 10 }, ['raised 2000']],
  ['a value of the threshold itself is high', { 0: 10, 1000: 10 }, ['raised 1000']],
  [
    'what falls for long enough clears',
    { 0: 10, 1000: 10, 2000: 4, 4000: 4 },
    ['raised 1000', 'cleared 4000'],
  ],
  ['between the thresholds nothing clears', { 0: 10, 1000: 10, 2000: 5, 9000: 5 }, ['raised 1000']],
  [
    'a value that comes up to the lower threshold begins the clearing anew',
    { 0: 10, 1000: 10, 2000: 4, 3900: 5, 4000: 4, 5999: 4, 6000: 4 },
    ['raised 1000', 'cleared 6000'],
  ],
  [
    'after clearing it raises again by the same wait',
    { 0: 10, 1000: 10, 2000: 0, 4000: 0, 5000: 10, 6000: 10 },
    ['raised 1000', 'cleared 4000', 'raised 6000'],
  ],
  ['an unknown value changes nothing', { 0: 10, 500: undefined, 1000: 10 }, ['raised 1000']],
  ['a long time between two evaluations counts', { 0: 10, 60000: 10 }, ['raised 60000']],
] as const;

test.each(courses)('%s', (_name, course, expected) => {
  let state: RuleState = { phase: 'quiet' };
  const changes: string[] = [];
  for (const [at, value] of Object.entries<number | undefined>(course)) {
    const step = nextRuleState(state, thresholds, { value, now: Number(at) });
    if (step.change) changes.push(`${step.change} ${at}`);
    state = step.state;
  }
  expect(changes).toEqual(expected);
});

test('a rule without a wait raises at the first evaluation', () => {
  const { change } = nextRuleState({ phase: 'quiet' }, { ...thresholds, forMs: 0 }, { value: 10, now: 7 });
  expect(change).toBe('raised');
});

test.each([
  ['rising', 10, 'raised'],
  ['falling', 4, 'cleared'],
] as const)('%s since an instant that is yet to come waits from now on', (phase, value, change) => {
  const first = nextRuleState({ phase, since: 900_000 }, thresholds, { value, now: 5_000 });
  expect(first.change).toBeUndefined();
  expect(nextRuleState(first.state, thresholds, { value, now: 7_000 }).change).toBe(change);
});
