import { expect, test } from 'vitest';
import { sortFieldProblems } from './form-problems';

const names = ['limit', 'windowMs', 'title', 'title.en'] as const;
const formatProblem = ({ text }: { text: string }) => `${text}!`;
const rejected = (...problems: [field: string, text: string][]) => ({
  message: 'as the log has it',
  ofFields: problems.map(([field, text]) => ({ field, text, code: 'invalid' as const })),
});

test('each problem is assigned to its field', () => {
  const both = rejected(['limit', 'too small'], ['windowMs', 'too long']);
  expect(sortFieldProblems(both, { names, formatProblem })).toEqual({
    fields: { limit: 'too small!', windowMs: 'too long!' },
    rest: undefined,
  });
});

test('a part of a field belongs to the field', () => {
  expect(sortFieldProblems(rejected(['title.zh', 'too long']), { names, formatProblem }).fields).toEqual({
    title: 'too long!',
  });
});

test('two problems of one field are both shown', () => {
  const twice = rejected(['limit', 'odd'], ['limit', 'too small']);
  expect(sortFieldProblems(twice, { names, formatProblem }).fields).toEqual({ limit: 'odd! too small!' });
});

test('a problem without a field belongs to the whole form', () => {
  expect(sortFieldProblems(rejected(['id', 'this coupon has ended']), { names, formatProblem })).toEqual({
    fields: {},
    rest: 'this coupon has ended!',
  });
});

test('a rejection without field problems shows the server’s message', () => {
  expect(sortFieldProblems({ message: 'Not from here.' }, { names, formatProblem })).toEqual({
    fields: {},
    rest: 'Not from here.',
  });
});
