import { expect, test } from 'vitest';
import { parseTableState } from './levels-table';

test('stored choices are restored', () => {
  const state = { order: { id: 'level', direction: 'asc' }, showsQuiet: true, opened: ['claim:user'] };
  expect(parseTableState(JSON.stringify(state))).toEqual(state);
});

test.each([
  ['nothing', ''],
  ['not JSON', '{'],
  ['another direction', '{"order":{"id":"level","direction":"up"},"showsQuiet":true,"opened":[]}'],
  ['rows that are not texts', '{"order":{"id":"level","direction":"asc"},"showsQuiet":true,"opened":[1]}'],
])('%s restores the initial choices: the default order, folded', (_what, text) => {
  expect(parseTableState(text)).toEqual({
    ...{ order: { id: 'attention', direction: 'desc' }, showsQuiet: false, opened: [] },
  });
});
