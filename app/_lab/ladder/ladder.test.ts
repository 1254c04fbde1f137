import { expect, test } from 'vitest';
import { policies } from '../../../server/policies';
import { ladderRule, standingAt, type TapAnswer } from './ladder';

const refused: TapAnswer = { at: 1_000, outcome: 'refused', violations: 1, retryAfterMs: 9_000 };
const banned: TapAnswer = { at: 2_000, outcome: 'banned', violations: 4, retryAfterMs: 20_000 };
const clear = { violations: 0, bannedUntil: undefined, lapsesAt: undefined, openAt: undefined };

test('the page says what the policy says', () => {
  const [{ punishment, limit, windowMs }] = policies.ladder.levels;
  expect({ limit, windowMs, ...punishment }).toEqual(ladderRule);
});

test.each([
  ['nothing has been refused', 0, [{ at: 0, outcome: 'admitted' }], clear],
  ['one refusal', 5_000, [refused], { ...clear, violations: 1, lapsesAt: 16_000, openAt: 10_000 }],
  [
    'the window is open again and the violation still counts',
    10_000,
    [refused],
    { ...clear, violations: 1, lapsesAt: 16_000 },
  ],
  ['violations lapse', 16_000, [refused], clear],
  [
    'an admitted tap clears nothing',
    11_000,
    [refused, { at: 10_500, outcome: 'admitted' }],
    { ...clear, violations: 1, lapsesAt: 16_000 },
  ],
  [
    'a ban',
    21_999,
    [refused, banned],
    { violations: 4, bannedUntil: 22_000, lapsesAt: undefined, openAt: 22_000 },
  ],
  ['a ban that ends clears the count', 22_000, [refused, banned], clear],
] satisfies [string, number, TapAnswer[], object][])('%s', (_, now, answers, standing) => {
  expect(standingAt(now, answers)).toEqual(standing);
});
