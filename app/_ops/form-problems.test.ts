import { expect, test } from 'vitest';
import { sortFieldProblems } from './form-problems';

const names = ['limit', 'windowMs', 'title', 'title.en'] as const;
const formatProblem = ({ text }: { text: string }) => `${text}!`;
const options = { names, formatProblem, other: 'Not accepted.', gap: ' ' };
const rejected = (...problems: [field: string, text: string][]) => ({
  ofFields: problems.map(([field, text]) => ({ field, text, code: 'invalid' as const })),
});

test('each problem is assigned to its field', () => {
  const both = rejected(['limit', 'too small'], ['windowMs', 'too long']);
  expect(sortFieldProblems(both, options)).toEqual({
    fields: { limit: 'too small!', windowMs: 'too long!' },
    rest: undefined,
  });
});

test('a part of a field belongs to the field', () => {
  expect(sortFieldProblems(rejected(['title.zh', 'too long']), options).fields).toEqual({
    title: 'too long!',
  });
});

test('two problems of one field are both shown', () => {
  const twice = rejected(['limit', 'odd'], ['limit', 'too small']);
  expect(sortFieldProblems(twice, options).fields).toEqual({ limit: 'odd! too small!' });
});

test('a problem without a field belongs to the whole form', () => {
  expect(sortFieldProblems(rejected(['id', 'this coupon has ended']), options)).toEqual({
    fields: {},
    rest: 'this coupon has ended!',
  });
});

test('a rejection without field problems has a general text', () => {
  expect(sortFieldProblems({}, options)).toEqual({
    fields: {},
    rest: 'Not accepted.',
  });
});
