import type { Mistake, MistakeSide } from '../../../server/lab/mistakes/mistake';
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
export function describeMistake(shown: Mistake): string {
  const { limit, windowMs, naive, product } = shown;
  const row = (name: string, { admitted, refused, worstWindow, roundTrips }: MistakeSide) => [
    name,
    String(admitted),
    String(refused),
    `${worstWindow} of ${limit}${worstWindow > limit ? ' !' : '  '}`,
    String(roundTrips),
  ];
  return [
    `${shown.mistake}: at most ${limit} in any ${windowMs / 1_000} s`,
    ...alignColumns(
      ['decided by', 'admitted', 'refused', 'worst window', 'round trips'],
      [row('the mistake', naive), row('the product', product)],
    ),
    ...slotsOf(shown),
  ].join('\n');
}

function slotsOf(shown: Mistake): string[] {
  if (shown.mistake !== 'cross-slot') return [];
  const rows = (name: string, keys: typeof shown.naiveKeys) =>
    keys.map(({ key, slot }) => [name, key, String(slot)]);
  return [
    '',
    ...alignColumns(
      ['of', 'key', 'slot'],
      [...rows('the mistake', shown.naiveKeys), ...rows('the product', shown.productKeys)],
    ),
    shown.naiveError ?? 'This Redis is no cluster, so it accepts keys of different slots.',
  ];
}
