import { useMemo, useState } from 'react';
import { type Order, sortRows } from '../../_components/ui/sort-rows';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { listAttention, listFull } from './attention';
import { foldQuiet, type LevelRow, listLevelRows, rowKey } from './level-activity';
import { defaultOrder } from './table-state';
import { useIsOutage } from './use-outage-text';
import { useSettledSecond } from './use-second';

interface Options {
  policies: Policy[];
  order: Order;
  /** Returns the sort value of a row in that order. */
  sortBy: ((row: LevelRow) => number | string | undefined) | undefined;
  /** Keeps the order of the shown rows, so that no click hits another row. */
  isHeld: boolean;
}

interface FoldedRows extends ReturnType<typeof foldQuiet> {
  /** True if the rows are in an older order, which is kept while an operator points at them. */
  isOrderKept: boolean;
}

/** Returns the rows of the table, and the quiet ones that it folds. */
export function useLevelRows({ policies, order, sortBy, isHeld }: Options): FoldedRows {
  const history = useOpsFeed((snapshot) => snapshot.history);
  // A text keeps its identity from one event to the next.
  const attention = useOpsFeed(({ event }) => listAttention(policies, event).join());
  const full = useOpsFeed(({ event }) => listFull(event?.windows).join());
  const settled = useSettledSecond();
  // No second of an outage is known, so the rows stay as they were.
  const to = useIsOutage() ? (history.at(-1)?.at ?? settled) : settled;
  const byAttention = useMemo(
    () =>
      listLevelRows({
        ...{ policies, history, to },
        attention: new Set(attention.split(',')),
        full: new Set(full.split(',')),
      }),
    [policies, history, to, attention, full],
  );
  const rows =
    order.id === defaultOrder.id
      ? byAttention
      : sortRows(byAttention, { sortBy, direction: order.direction });

  const [kept, setKept] = useState<{ order: Order; keys: readonly string[] }>();
  const isKept = isHeld && kept?.order === order;
  const folded = foldQuiet(rows, isKept ? kept.keys : undefined);
  const keys = folded.shown.map(rowKey);
  if (isHeld && !isKept) setKept({ order, keys });
  if (!isHeld && kept) setKept(undefined);
  const ordered = rows.map(rowKey).filter((key) => keys.includes(key));
  return { ...folded, isOrderKept: ordered.join() !== keys.join() };
}
