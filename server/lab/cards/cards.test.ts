import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { languages } from '../../trpc/context';
import { type Card, cardGroups } from './card';
import { cardIds, cards, listCards } from './cards';

/** The files of the frame that all cards share. */
const frame = [
  'card',
  'cards',
  'fill-fact',
  'measured-figures',
  'naive-bucket',
  'run-card',
  'run-naive',
  'run-product',
];

test('every card is one file, which takes at most 40 lines with its import and its entry', () => {
  for (const id of cardIds) {
    const lines = readFileSync(join(import.meta.dirname, `${id}.ts`), 'utf8').split('\n').length - 1;
    expect(lines + 2, id).toBeLessThanOrEqual(40);
  }
  const files = readdirSync(import.meta.dirname).filter((file) => !file.includes('.test.'));
  expect(files.sort()).toEqual([...frame, ...cardIds].map((name) => `${name}.ts`).sort());
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

test.each(languages)(
  'every card has a line in the hand-out with one link, and a measured claim (%s)',
  (language) => {
    for (const { id, tip } of listCards(language)) {
      expect(tip, id).toMatch(/^<card>[^<]+<\/card>[^<]+[.。]$/);
      const { fact } = cards[id].text[language];
      expect(fact, id).toMatch(language === 'en' ? /^(A|No) tutorial .*[Mm]easured/ : /^教程.*实测/);
      expect(fact, id).toMatch(/\{naive\.\w+\}/);
    }
  },
);

test('a card names its groups in both languages, and each of its calls belongs to one', () => {
  for (const id of cardIds) {
    const { calls, groupOf, text }: Card = cards[id];
    const [names, ...others] = languages.map((language) => text[language].groups ?? []);
    expect(
      others.map(({ length }) => length),
      id,
    ).toEqual([names?.length]);
    const groups = new Set(calls.flatMap((call) => groupOf?.(call) ?? []));
    expect([...groups].sort(), id).toEqual([...(names ?? []).keys()]);
  }
});

test('every load is ascending, and every group has a card', () => {
  for (const id of cardIds) {
    const arrivals = cards[id].calls.map(({ at }) => at);
    expect(arrivals, id).toEqual(arrivals.toSorted((one, other) => one - other));
  }
  expect([...new Set(cardIds.map((id) => cards[id].group))].sort()).toEqual([...cardGroups].sort());
});
