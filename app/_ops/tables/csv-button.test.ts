import { expect, test } from 'vitest';
import { moneyFileColumn, secondsFileColumn, toCsv } from './csv-button';

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

test('each value of a cell has a column of its own: money with its currency, durations in seconds', () => {
  const sale = { id: 'sale', header: 'Sale', cell: () => null };
  const csv = [
    moneyFileColumn('Price', ({ cents }: Row) => cents),
    secondsFileColumn('Opens in', ({ at }: Row) => at),
  ];
  expect(
    toCsv(
      [{ ...sale, csv }],
      [
        { title: 'Soup', cents: 990, at: 1_500 },
        { title: 'Tea', cents: 0 },
      ],
    ),
  ).toBe('Price (EUR),Opens in (s)\r\n9.90,1.5\r\n0.00,\r\n');
});

test.each([
  ['a comma', 'Soup, bread', '"Soup, bread"'],
  ['a quote', 'The "best"', '"The ""best"""'],
  ['a line break', 'two\nlines', '"two\nlines"'],
  ['a formula', '=1+1', "'=1+1"],
  ['a plus', '+1', "'+1"],
  ['a minus', '-1', "'-1"],
  ['a minus sign', '−1', "'−1"],
  ['an at sign', '@SUM(A1)', "'@SUM(A1)"],
  ['a full-width equals sign', '＝1+1', "'＝1+1"],
  ['a full-width plus', '＋1', "'＋1"],
  ['a full-width hyphen', '－1', "'－1"],
  ['a full-width at sign', '＠SUM(A1)', "'＠SUM(A1)"],
  ['a tab', '\t=1', "'\t=1"],
  ['a carriage return', '\r=1', `"'\r=1"`],
  ['a line feed', '\n=1', `"'\n=1"`],
  ['a leading space', ' =1', "' =1"],
  ['a leading ideographic space', '\u3000＝1', "'\u3000＝1"],
  ['a formula in quotes', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['a hyphen inside', 'a-b =1', 'a-b =1'],
  ['Chinese', '午间例汤', '午间例汤'],
])('%s is one field that no spreadsheet runs', (_, title, field) => {
  expect(toCsv(columns, [{ title, cents: -5 }])).toContain(`\r\n${field},-5,\r\n`);
});
