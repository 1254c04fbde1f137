import type { Card } from '../../../server/lab/cards/card';
import { cards, type Mistake } from '../../../server/lab/cards/cards';
import type { Race } from '../../../server/lab/race';
import { alignColumns } from './align-columns';

/** Formats the results of a race for each variant. */
export function describeRaces(races: readonly Race[]): string {
  const rows = races.map(({ variant, admitted, limit, concurrency, logged, roundTrips }) => [
    variant,
    String(concurrency),
    `${admitted} of ${limit}${admitted > limit ? ' !' : '  '}`,
    String(logged),
    String(roundTrips),
  ]);
  return alignColumns(['decided by', 'at once', 'admitted', 'in the log', 'round trips'], rows).join('\n');
}

/** Formats a mistake next to the product under the same load. */
export function describeMistake({ mistake, limit, windowMs, measured, ...sides }: Mistake): string {
  const { naive, product, third } = sides;
  const { text }: Card = cards[mistake];
  const names = text.en.groups ?? [];
  const row = (name: string, { admitted, refused, roundTrips, figure, groups }: Mistake['naive']) => [
    [
      name,
      String(admitted),
      String(refused),
      `${figure.value} of ${figure.of}${figure.isOk ? '  ' : ' !'}`,
      String(roundTrips),
    ],
    ...groups.map(({ admittedAt, refusedAt }, index) => [
      `  ${names[index]}`,
      String(admittedAt.length),
      String(refusedAt.length),
      '',
      '',
    ]),
  ];
  return [
    `${mistake}: at most ${limit} in any ${windowMs / 1_000} s`,
    ...alignColumns(
      ['decided by', 'admitted', 'refused', 'figure', 'round trips'],
      [
        ...row('the mistake', naive),
        ...row('the product', product),
        ...(third ? row('the product, local', third) : []),
      ],
    ),
    '',
    measured,
  ].join('\n');
}
