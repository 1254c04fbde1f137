import { expect, test } from 'vitest';
import { readLabArguments } from './read-lab-arguments.mjs';

test.each([
  [['edge'], { query: 'traffic=edge', format: 'text' }],
  [['poisson', '--json'], { query: 'traffic=poisson', format: 'json' }],
  [['--csv', 'traffic=pulse&limit=5'], { query: 'traffic=pulse&limit=5', format: 'csv' }],
  [['?traffic=pulse'], { query: 'traffic=pulse', format: 'text' }],
  [['http://127.0.0.1:3000/lab?limit=7&window=1000'], { query: 'limit=7&window=1000', format: 'text' }],
])('%j is a scenario and a format', (args, expected) => {
  expect(readLabArguments(args)).toEqual(expected);
});

test.each([
  [[], 'Which scenario?'],
  [['flood'], 'There is no scenario "flood".'],
  [['edge', 'steady'], 'One scenario at a time, and "steady" is another.'],
  [['edge', '--xml'], 'There is no option --xml.'],
  [['edge', '--json', '--csv'], 'Say --json or --csv, not both.'],
])('%j is told what is wrong with it, and how it is done', (args, problem) => {
  expect(() => readLabArguments(args)).toThrow(problem);
  expect(() => readLabArguments(args)).toThrow('npm run lab -- <scenario>');
});
