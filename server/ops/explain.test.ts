import { expect, test } from 'vitest';
import type { Arrival } from '../fleet/arrival';
import { GLOBAL_SUBJECT, type Window } from '../limiter/index';
import { resolvePolicy } from '../limiter/policy/resolve-policy';
import { findLevel } from '../limits/policy-registry';
import { policies } from '../policies';
import { createExplain } from './subjects';

const seckill = resolvePolicy(policies.seckill, 'coupon.seckill');
const levels = seckill.levels.map(({ level }) => level);
const own = findLevel([seckill], { policy: 'coupon.seckill', level: 'user' });

function explain(recent: Omit<Arrival, 'subjects'>[], refusedBy?: string) {
  const subjects = levels.map((level) => (level === 'global' ? null : 'ref-of-ada'));
  const peeked: string[] = [];
  const run = createExplain({
    storeNow: () => 9_000,
    limiter: {
      effectivePolicy: () => seckill as never,
      async peekByPseudonym(_policy, { level, pseudonym }) {
        peeked.push(`${level}/${pseudonym}`);
        return { now: 9_000, window: { level, retryAfterMs: 0 } as Window, punished: undefined };
      },
    },
    arrivals: {
      readRecent: async () => ({ arrivals: recent.map((one) => ({ ...one, subjects })) }) as never,
    },
  });
  return run({ ...own, ref: 'ref-of-ada', refusedBy }).then((found) => ({
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

test('a row of the refusals by a level is explained by that level, also after a later refusal by another', async () => {
  const calls: Omit<Arrival, 'subjects'>[] = [
    { at: 1_000, outcome: 'refused', refusedBy: 'global' },
    { at: 2_000, outcome: 'refused', refusedBy: 'user' },
  ];
  expect((await explain(calls, 'global')).found.refusedElsewhere).toMatchObject({
    ...{ at: 1_000, window: { level: 'global' } },
  });
  expect((await explain(calls, 'user')).found).not.toHaveProperty('refusedElsewhere');
});

test('a refusal that is no longer recorded is explained without its instant', async () => {
  const { found } = await explain([], 'global');
  expect(found.refusedElsewhere).toEqual({ window: { level: 'global', retryAfterMs: 0 } });
});

test('the numbers of a punishment are part of the explanation', async () => {
  const claim = resolvePolicy(policies.claim, 'coupon.claim');
  const run = createExplain({
    storeNow: () => 9_000,
    limiter: {
      effectivePolicy: () => claim as never,
      peekByPseudonym: async () => ({
        ...{ now: 0, window: { retryAfterMs: 0 } as Window, punished: undefined },
      }),
    },
    arrivals: { readRecent: async () => ({ arrivals: [] }) as never },
  });
  const found = await run({ ...findLevel([claim], { policy: 'coupon.claim', level: 'user' }), ref: 'a' });
  expect(found.punishment).toMatchObject({ banAt: 5, banMs: 1_800_000, lapseMs: 3_600_000 });
});
