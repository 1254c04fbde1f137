import { expect, test } from 'vitest';
import type { LevelOutcomes, OpsWindow } from '../live/ops-event';
import { findRefusing } from './alerts-board';

const NOW = 100_000;
const windowOf = (policy: string, level: string): OpsWindow => ({
  ...{ policy, level, algorithm: 'sliding-log', mode: 'enforce', limit: 5, windowMs: 10_000 },
  ...{ used: 0, hits: [], retryAfterMs: 0, readAt: NOW },
});
const windows = [windowOf('sale', 'user'), windowOf('sale', 'global'), windowOf('claim', 'user')];
const outcomes = (level: string, counts: Partial<LevelOutcomes>): LevelOutcomes => ({
  ...{ policy: 'sale', level, admitted: 0, refused: 0, banned: 0, degraded: 0 },
  ...counts,
});
const refusingOf = (policy: string, seconds: { at: number; levels: LevelOutcomes[] }[]) =>
  findRefusing(policy, { event: { windows, serverNow: NOW }, history: seconds })?.level;

test('the level with the most refused and blocked calls refuses', () => {
  const levels = [
    outcomes('user', { refused: 2, banned: 3 }),
    outcomes('global', { refused: 4, admitted: 9 }),
  ];
  expect(refusingOf('sale', [{ at: NOW - 1_000, levels }])).toBe('user');
});

test('refusals older than the alert measures do not count', () => {
  const history = [
    { at: NOW - 30_000, levels: [outcomes('user', { refused: 9 })] },
    { at: NOW - 29_000, levels: [outcomes('global', { refused: 1 })] },
  ];
  expect(refusingOf('sale', history)).toBe('global');
});

test('no level refuses if another policy refuses', () => {
  const history = [{ at: NOW - 1_000, levels: [outcomes('user', { refused: 9 })] }];
  expect(refusingOf('claim', history)).toBeUndefined();
});
