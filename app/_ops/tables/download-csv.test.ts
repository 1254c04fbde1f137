import { expect, test } from 'vitest';
import { toCsv } from './download-csv';

interface Row {
  title: string;
  cents: number;
  at?: number;
}

const columns = [
  { id: 'title', header: 'Coupon', cell: () => null, csv: ({ title }: Row) => title },
  { id: 'price', header: 'Price, €', cell: () => null, sortBy: ({ cents }: Row) => cents },
  {
    id: 'at',
    header: 'Time',
    cell: () => null,
    sortBy: ({ at }: Row) => at,
    csv: ({ at }: Row) => at && new Date(at).toISOString(),
  },
  { id: 'actions', header: 'Actions', cell: () => null },
];

test('a row has one line, in the order of the columns; a column without a value is left out', () => {
  expect(toCsv(columns, [{ title: 'Soup', cents: 450, at: 0.5 }])).toBe(
    'Coupon,"Price, €",Time\r\nSoup,450,1970-01-01T00:00:00.000Z\r\n',
  );
});

test.each([
  ['a comma', 'Soup, bread', '"Soup, bread"'],
  ['a quote', 'The "best"', '"The ""best"""'],
  ['a line break', 'two\nlines', '"two\nlines"'],
  ['a formula', '=1+1', "'=1+1"],
  ['Chinese', '午间例汤', '午间例汤'],
])('%s is one field that no spreadsheet runs', (_, title, field) => {
  expect(toCsv(columns, [{ title, cents: -5 }])).toContain(`\r\n${field},-5,\r\n`);
});
