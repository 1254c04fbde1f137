import { expect, test } from 'vitest';
import { type Policy, resolvePolicy } from '../limiter/index';
import { listEnforcedLevels, listShownLevels, toListedLevel } from './levels';

const policy = resolvePolicy<never>(
  {
    name: 'shop.buy',
    levels: [
      { level: 'user', limit: 5, windowMs: 10_000 },
      { level: 'ip', limit: 9, windowMs: 10_000, mode: 'shadow' },
      { level: 'global', algorithm: 'token-bucket', limit: 100, windowMs: 10_000 },
    ],
    message: { en: 'Too many.' },
  } satisfies Policy<never>,
  'shop.buy',
);

test('the enforced levels have effective limits, without shadow and off levels', () => {
  const levels = policy.levels.map((level) => ({ ...level, limit: level.limit * 2, version: 1 }));
  const limiter = { effectivePolicy: () => ({ ...policy, levels, version: 1 }) as never };
  expect(listEnforcedLevels({ limiter, policies: [policy] }, 'shop.buy')).toEqual([
    { level: 'user', algorithm: 'sliding-log', limit: 10, windowMs: 10_000 },
    { level: 'global', algorithm: 'token-bucket', limit: 200, windowMs: 10_000 },
  ]);
  expect(listEnforcedLevels({ limiter, policies: [policy] }, 'shop.sell')).toEqual([]);
});

test('the levels that the sale shows have effective limits, also while they refuse no call', () => {
  const levels = policy.levels.map((level) => ({
    ...{ ...level, limit: level.limit * 2, version: 1 },
    mode: 'shadow' as const,
  }));
  const limiter = { effectivePolicy: () => ({ ...policy, levels, version: 1 }) as never };
  const named = { policy: 'shop.buy', algorithm: 'sliding-log', windowMs: 10_000 };
  expect(listShownLevels({ limiter, policies: [policy] })).toEqual([
    { ...named, level: 'user', limit: 10, mode: 'shadow', version: 1 },
    { ...named, level: 'global', algorithm: 'token-bucket', limit: 200, mode: 'shadow', version: 1 },
  ]);
});

test('a leased level is listed with the time of its lease', () => {
  const level = { level: 'global', algorithm: 'sliding-counter', subWindows: 50, windowMs: 10_000 } as const;
  const leased = resolvePolicy<never>(
    { name: 'ads', levels: [{ ...level, limit: 90_000, lease: { forMs: 500 } }], message: { en: 'Busy.' } },
    'ads',
  );
  const [listed] = leased.levels.map((one) => toListedLevel(leased, one, { ...one, version: 0 }));
  expect(listed).toMatchObject({ effective: { limit: 90_000, windowMs: 10_000 }, lease: { forMs: 500 } });
  expect(policy.levels.map((one) => toListedLevel(policy, one, { ...one, version: 0 }).lease)).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('a level counts all calls in one window if it is global or declares it', () => {
  const limit = { limit: 5, windowMs: 10_000 };
  const mixed = resolvePolicy<{ ip: string }>(
    {
      name: 'mail.send',
      levels: [
        { level: 'ip', ...limit },
        { level: 'site', by: () => 'all', counts: 'all', ...limit },
        { level: 'network', by: ({ ip }: { ip: string }) => ip, ...limit },
        { level: 'global', ...limit },
      ],
      message: { en: 'Too many.' },
    },
    'mail.send',
  );
  const listed = mixed.levels.map((level) => toListedLevel(mixed, level, { ...level, version: 0 }));
  expect(listed.filter(({ countsAll }) => countsAll).map(({ level }) => level)).toEqual(['site', 'global']);
});
