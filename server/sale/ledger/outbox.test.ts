import { expect, test } from 'vitest';
import { parseEntries } from './outbox';

const order = {
  generation: '2',
  sequence: '7',
  order: 'one',
  shopper: 'ada',
  code: 'K2NJ6MNQTT',
  request: '',
  at: '1700000000000',
};
const parse = (fields: Record<string, string>) => parseEntries([['5-0', Object.entries(fields).flat()]]);

test('an entry is parsed as the order that the gate added', () => {
  const entry = {
    entryId: '5-0',
    generation: 2,
    sequence: 7,
    orderId: 'one',
    userId: 'ada',
    code: 'K2NJ6MNQTT',
    requestId: null,
    createdAt: 1_700_000_000_000,
  };
  expect(parse(order)).toEqual({ entries: [entry], malformed: [] });
  expect(parse({ ...order, request: 'abc' }).entries).toEqual([{ ...entry, requestId: 'abc' }]);
  const { sequence: _, ...uncounted } = order;
  expect(parse(uncounted).entries, 'of a gate that did not count yet').toEqual([{ ...entry, sequence: 0 }]);
});

test.each([
  ['no order', { ...order, order: '' }],
  ['no shopper', { ...order, shopper: '' }],
  ['no code', { ...order, code: '' }],
  ['a generation that is no number', { ...order, generation: 'two' }],
  ['a sequence that is not whole', { ...order, sequence: '1.5' }],
  ['an instant beyond all numbers', { ...order, at: '1e300' }],
])('%s: it is none, and shows whose it would be', (_name, fields) => {
  expect(parse(fields)).toEqual({
    entries: [],
    malformed: [{ entryId: '5-0', userId: fields.shopper }],
  });
});

test.each(['generation', 'order', 'shopper', 'code', 'request', 'at'])(
  'without %s it is no order',
  (field) => {
    const fields = Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));
    expect(parse(fields)).toMatchObject({ entries: [], malformed: [{ entryId: '5-0' }] });
  },
);
