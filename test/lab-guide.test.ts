import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sections, tourSteps } from '../app/_lab/addresses';
import { findLadderMode } from '../app/_lab/ladder/ladder';
import { findLayersPreset } from '../app/_lab/layers/layered-calls';
import { presets } from '../app/_lab/presets';
import { encodeScenario, parseScenario } from '../app/_lab/scenario';
import { cardIds } from '../server/lab/cards/cards';
import { root } from '../server/paths';

/** The cards that measure, and those that compare. */
const mistakeIds: readonly string[] = ['round-trips', 'leases', ...cardIds];
const guide = readFileSync(path.join(root, 'docs/lab.md'), 'utf8');
const addresses = [
  ...new Set([...guide.matchAll(/\]\(http:\/\/localhost:3000(\/[^)]*)\)/g)].map(([, to = '']) => to)),
];
const tour = tourSteps.map(({ href }) => href);
const more = presets.flatMap((preset) => ('more' in preset ? [preset.more] : []));

test.each([...new Set([...addresses, ...tour, ...more])])('%s is an address of the lab', (address) => {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  if (pathname !== '/lab') {
    expect(['/lab/tour', '/lab/handout']).toContain(address);
    return;
  }
  const { section = 'compare', card, layers, ladder, ...scenario } = Object.fromEntries(searchParams);
  expect(sections).toContain(section);
  expect(mistakeIds).toContain(card ?? mistakeIds[0]);
  expect(card === undefined || section === 'mistakes').toBe(true);
  if (layers !== undefined) expect([section, findLayersPreset(layers).name]).toEqual(['layers', layers]);
  if (ladder !== undefined) expect([section, findLadderMode(ladder)]).toEqual(['ladder', ladder]);
  // Each value of a scenario is one that the page keeps.
  expect(Object.fromEntries(encodeScenario(parseScenario(searchParams)))).toMatchObject(scenario);
});

test('the guide has each claim once, with its tutorials, a verdict and a place', () => {
  const rows = [...guide.matchAll(/^\| (\d+) \| T\d(?: T\d)* \| (right|wrong|bug|choice) \| .+ \| .+ \|$/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(
    Array.from({ length: 97 }, (_, index) => index + 1),
  );
});

test('the guide links to each card that shows a mistake of a tutorial', () => {
  expect(mistakeIds.filter((id) => !guide.includes(`card=${id})`))).toEqual([]);
});

test('the guide links to each preset', () => {
  expect(presets.filter(({ name }) => !guide.includes(`preset=${name})`)).map(({ name }) => name)).toEqual(
    [],
  );
});
