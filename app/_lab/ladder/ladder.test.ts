import { expect, test } from 'vitest';
import { tutorialLadder } from '../../../server/lab/ladder';
import { policies } from '../../../server/policies';
import { getLadderState, ladderPolicy, type TapResult, tutorialPolicy } from './ladder';

const refused: TapResult = { at: 1_000, outcome: 'refused', violations: 1, retryAfterMs: 9_000 };
const banned: TapResult = { at: 2_000, outcome: 'banned', violations: 4, retryAfterMs: 20_000 };
const clear = { violations: 0, bannedUntil: undefined, lapsesAt: undefined, openAt: undefined };

test('the page has the numbers of the policy', () => {
  const [{ punishment, limit, windowMs }] = policies.ladder.levels;
  expect({ limit, windowMs, ...punishment }).toEqual(ladderPolicy);
  expect(tutorialPolicy).toEqual(tutorialLadder);
});

test.each([
  ['no refusal', 0, [{ at: 0, outcome: 'admitted' }], clear],
  [
    'a full window admits no click until its oldest leaves',
    3_000,
    [0, 1_000, 2_000].map((at) => ({ at, outcome: 'admitted' })),
    { ...clear, openAt: 10_000 },
  ],
  ['one refusal', 5_000, [refused], { ...clear, violations: 1, lapsesAt: 16_000, openAt: 10_000 }],
  [
    'a violation still counts after the window has room again',
    10_000,
    [refused],
    { ...clear, violations: 1, lapsesAt: 16_000 },
  ],
  ['violations expire', 16_000, [refused], clear],
  [
    'an admitted tap clears no violation',
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
  ['the end of a ban clears the count', 22_000, [refused, banned], clear],
] satisfies [string, number, TapResult[], object][])('%s', (_, now, results, state) => {
  expect(getLadderState(now, results)).toEqual(state);
});
