/** The result of several rounds. Half of the rounds lie between the quartiles `low` and `high`. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** Returns the median. Of an even number of values it returns the lower middle value, so that the result was measured. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('The median needs at least one value.');
  return middle;
}

/** Returns the median and the quartiles of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const quarter = Math.floor((sorted.length - 1) / 4);
  const middle = median(values);
  return {
    median: middle,
    low: sorted[quarter] ?? middle,
    high: sorted[sorted.length - 1 - quarter] ?? middle,
  };
}

/** Returns the spread of one number of each row. */
export function spreadBy<Row>(rows: readonly Row[], read: (row: Row) => number): Spread {
  return spreadOf(rows.map(read));
}

/** The spread of each number of a row. */
export type Spreads<Row> = { [Key in keyof Row]: Spread };

/** Returns the spread of each number of at least one row. */
export function spreadsOf<Row extends Record<keyof Row, number>>(rows: readonly Row[]): Spreads<Row> {
  const keys = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  return Object.fromEntries(keys.map((key) => [key, spreadBy(rows, (row) => row[key])])) as Spreads<Row>;
}

interface Rounds<Item, Result> {
  rounds: number;
  measure(item: Item): Promise<Result>;
  /** Receives the progress, such as "round 2 of 7". */
  note(text: string): void;
}

/** Measures all items once in each round, every other round in reverse order. Returns the results of each item by round. */
export async function measureInRounds<Item, Result>(
  items: readonly Item[],
  { rounds, measure, note }: Rounds<Item, Result>,
): Promise<Map<Item, Result[]>> {
  const taken = new Map<Item, Result[]>(items.map((item) => [item, []]));
  for (let round = 0; round < rounds; round += 1) {
    note(`round ${round + 1} of ${rounds}`);
    for (const item of round % 2 === 0 ? items : items.toReversed())
      taken.get(item)?.push(await measure(item));
  }
  return taken;
}

/** A result of an item with those of the yardstick right before and right after it. */
export interface Compared<Result> {
  own: Result;
  yardstick: readonly [before: Result, after: Result];
}

/**
 * Measures all items in rounds, each between two measurements of the yardstick. The returned map also has the yardstick,
 * compared with itself.
 */
export async function measureBetween<Item, Result>(
  items: readonly Item[],
  { yardstick, measure, ...rounds }: Rounds<Item, Result> & { yardstick: Item },
): Promise<Map<Item, Compared<Result>[]>> {
  const yardsticks: Compared<Result>[] = [];
  let before = await measure(yardstick);
  const taken = await measureInRounds(items, {
    ...rounds,
    async measure(item): Promise<Compared<Result>> {
      const own = await measure(item);
      const after = await measure(yardstick);
      const compared: Compared<Result> = { own, yardstick: [before, after] };
      yardsticks.push({ own: after, yardstick: [after, after] });
      before = after;
      return compared;
    },
  });
  return new Map([[yardstick, yardsticks], ...taken]);
}
