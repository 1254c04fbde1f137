import { expect, test } from 'vitest';
import type { Arrival } from '../fleet/arrival';
import { GLOBAL_SUBJECT, type Window } from '../limiter';
import { resolvePolicy } from '../limiter/policy';
import { findLevel } from '../limits/policy-registry';
import { policies } from '../policies';
import { createExplain } from './subjects';

const seckill = resolvePolicy(policies.seckill, 'coupon.seckill');
const levels = seckill.levels.map(({ level }) => level);
const own = findLevel([seckill], { policy: 'coupon.seckill', level: 'user' });

function explain(recent: Omit<Arrival, 'subjects'>[]) {
  const subjects = levels.map((level) => (level === 'global' ? null : 'ref-of-ada'));
  const peeked: string[] = [];
  const run = createExplain({
    limiter: {
      async peekByPseudonym(policy, { index, pseudonym }) {
        const level = policy.levels[index]?.level ?? '';
        peeked.push(`${level}/${pseudonym}`);
        return { now: 9_000, window: { level, retryAfterMs: 0 } as Window, punished: undefined };
      },
    },
    arrivals: {
      readRecent: async () => ({ arrivals: recent.map((one) => ({ ...one, subjects })) }) as never,
    },
  });
  return run({ ...own, ref: 'ref-of-ada' }).then((found) => ({
    found,
    peeked,
  }));
}

test('a caller that the global level refused gets that window explained', async () => {
  const { found, peeked } = await explain([
    { at: 1_000, outcome: 'admitted' },
    { at: 2_000, outcome: 'refused', refusedBy: 'global' },
  ]);
  expect(found.refusedElsewhere).toMatchObject({ at: 2_000, window: { level: 'global' } });
  expect(peeked).toEqual(['user/ref-of-ada', `global/${GLOBAL_SUBJECT}`]);
});

test('a caller that its own level refused last gets only its own window', async () => {
  const { found, peeked } = await explain([
    { at: 1_000, outcome: 'refused', refusedBy: 'global' },
    { at: 2_000, outcome: 'refused', refusedBy: 'user' },
  ]);
  expect(found).not.toHaveProperty('refusedElsewhere');
  expect(peeked).toEqual(['user/ref-of-ada']);
});
