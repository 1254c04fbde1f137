import { expect, test } from 'vitest';
import { getStepHref, parseStep, tourSteps } from './addresses';

const queryOf = (href: string) => new URLSearchParams(href.slice(href.indexOf('?')));

test('the tour takes ten minutes', () => {
  expect(tourSteps.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(10);
});

test('each address names its own step, and the first and the last have one neighbour', () => {
  expect(tourSteps.map((_, index) => parseStep(queryOf(getStepHref(index) ?? '')))).toEqual([
    ...tourSteps.keys(),
  ]);
  expect(getStepHref(-1)).toBeUndefined();
  expect(getStepHref(tourSteps.length)).toBeUndefined();
});

test.each(['', 'step=', 'step=0', 'step=9', 'step=1.5', 'step=two'])('"%s" names no step', (query) => {
  expect(parseStep(new URLSearchParams(query))).toBeUndefined();
});
