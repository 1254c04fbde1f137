import { expect, test } from 'vitest';
import { fieldProblems } from './field-problems';

const names = ['limit', 'windowMs', 'title', 'title.en'] as const;
const words = ({ text }: { text: string }) => `${text}!`;
const rejected = (...told: [field: string, text: string][]) => ({
  message: 'as the log has it',
  ofFields: told.map(([field, text]) => ({ field, text, code: 'invalid' as const })),
});

test('each problem goes to the field that it is of', () => {
  const both = rejected(['limit', 'too small'], ['windowMs', 'too long']);
  expect(fieldProblems(both, { names, words })).toEqual({
    fields: { limit: 'too small!', windowMs: 'too long!' },
    rest: undefined,
  });
});

test('a part of a field belongs to the field', () => {
  expect(fieldProblems(rejected(['title.zh', 'too long']), { names, words }).fields).toEqual({
    title: 'too long!',
  });
});

test('two problems of one field are both told', () => {
  const twice = rejected(['limit', 'odd'], ['limit', 'too small']);
  expect(fieldProblems(twice, { names, words }).fields).toEqual({ limit: 'odd! too small!' });
});

test('what is of no field is left for the whole form', () => {
  expect(fieldProblems(rejected(['id', 'this coupon has ended']), { names, words })).toEqual({
    fields: {},
    rest: 'this coupon has ended!',
  });
});

test('what is rejected for another reason than its input is told as the server says it', () => {
  expect(fieldProblems({ message: 'Not from here.' }, { names, words })).toEqual({
    fields: {},
    rest: 'Not from here.',
  });
});
