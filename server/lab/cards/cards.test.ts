import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demonstrations } from '../../../scripts/lib/lab/read-lab-arguments.mjs';
import { languages } from '../../trpc/context';
import { cardGroups } from './card';
import { cardIds, cards, listCards } from './cards';

/** Cards whose mistake is more than a script: a cluster slot needs its checksum. */
const longCards = ['cross-slot.ts'];

test('every card is one file of at most 40 lines', () => {
  for (const id of cardIds) {
    const lines = readFileSync(join(import.meta.dirname, `${id}.ts`), 'utf8').split('\n').length - 1;
    if (!longCards.includes(`${id}.ts`)) expect(lines, id).toBeLessThanOrEqual(40);
  }
  const files = readdirSync(import.meta.dirname).filter((file) => !file.includes('.test.'));
  const frame = ['card.ts', 'cards.ts', 'naive-bucket.ts', 'run-card.ts', 'run-naive.ts', 'run-product.ts'];
  expect(files.filter((file) => !frame.includes(file)).sort()).toEqual(
    cardIds.map((id) => `${id}.ts`).sort(),
  );
});

test.each(languages)('every card has a title, and three sentences that explain it (%s)', (language) => {
  const titles = new Set<string>();
  for (const { id, title, naive, why } of listCards(language)) {
    titles.add(title);
    expect(naive.length, id).toBeGreaterThan(0);
    const sentences = why.split(language === 'en' ? /(?<=[.])\s/ : /(?<=。)/);
    expect(sentences, id).toHaveLength(3);
  }
  expect(titles.size).toBe(cardIds.length);
});

test('every load is ascending, and every group has a card', () => {
  for (const id of cardIds) {
    const arrivals = cards[id].calls.map(({ at }) => at);
    expect(arrivals, id).toEqual(arrivals.toSorted((one, other) => one - other));
  }
  expect([...new Set(cardIds.map((id) => cards[id].group))].sort()).toEqual([...cardGroups].sort());
});

test('the command line runs every card', () => {
  expect(demonstrations).toEqual(['race', ...cardIds]);
});
