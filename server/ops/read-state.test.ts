import { expect, test } from 'vitest';
import { sumLeased } from './read-state';

test('the idle units of a level are those of all nodes', () => {
  const ads = { policy: 'ads', level: 'global' };
  const search = { policy: 'search', level: 'global' };
  const fleet = [
    {
      leased: [
        { ...ads, idle: 3 },
        { ...search, idle: 0 },
      ],
    },
    { leased: [] },
    { leased: [{ ...ads, idle: 4 }] },
  ];
  expect(sumLeased(fleet)).toEqual([
    { ...ads, idle: 7 },
    { ...search, idle: 0 },
  ]);
});
