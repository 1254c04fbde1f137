import { expect, test } from 'vitest';
import { checkDemonstration, readLabArguments } from './read-lab-arguments.mjs';

test.each([
  [['edge'], { scenario: { query: 'traffic=edge' }, format: 'text' }],
  [['poisson', '--json'], { scenario: { query: 'traffic=poisson' }, format: 'json' }],
  [['--csv', 'traffic=pulse&limit=5'], { scenario: { query: 'traffic=pulse&limit=5' }, format: 'csv' }],
  [['?traffic=pulse'], { scenario: { query: 'traffic=pulse' }, format: 'text' }],
  [['http://127.0.0.1:3000/lab?limit=7'], { scenario: { query: 'limit=7' }, format: 'text' }],
  [['race'], { scenario: { demonstration: 'race' }, format: 'text' }],
  [['cross-slot', '--json'], { scenario: { demonstration: 'cross-slot' }, format: 'json' }],
])('%j is a scenario and a format', (args, expected) => {
  expect(readLabArguments(args)).toEqual(expected);
});

test.each([
  [[], 'A scenario is missing.'],
  [['edge', 'steady'], 'Only one scenario is possible, but "steady" is a second one.'],
  [['edge', '--xml'], 'There is no option --xml.'],
  [['edge', '--json', '--csv'], 'Use --json or --csv, not both.'],
  [['race', '--csv'], 'There is no CSV of "race". Use --json.'],
])('%j is refused with the problem and the usage', (args, problem) => {
  expect(() => readLabArguments(args)).toThrow(problem);
  expect(() => readLabArguments(args)).toThrow('npm run lab -- <scenario>');
});

test('an unknown demonstration is refused with the usage and the names of all', () => {
  const check = (name: string) => checkDemonstration(readLabArguments([name]), ['race', 'double-burst']);
  expect(() => check('flood')).toThrow('There is no scenario "flood".\nnpm run lab -- <scenario>');
  expect(() => check('flood')).toThrow('Demonstrations: race, double-burst.');
  expect(() => check('race')).not.toThrow();
  expect(() => check('edge')).not.toThrow();
});
