import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Order } from '../../_components/ui/sort-rows';
import { readStored, writeStored } from '../../_live/browser-storage';
import { hasFields, isListOf, isRecord, parseJson } from '../../_live/parse-json';

/** The choices of an operator in the table of levels. */
export interface TableState {
  order: Order;
  showsQuiet: boolean;
  /** The `rowKey`s of the opened rows. */
  opened: readonly string[];
}

const STORAGE_KEY = 'floodgate.ops.levels';

/** The order of `listLevelRows`. No column has its id. */
export const defaultOrder: Order = { id: 'attention', direction: 'desc' };

const initial: TableState = { order: defaultOrder, showsQuiet: false, opened: [] };

const never = () => () => undefined;
const readChoices = () => readStored(STORAGE_KEY);

/** Returns the choices, kept in this browser, and a function that changes some of them. */
export function useTableState(): [TableState, (changes: Partial<TableState>) => void] {
  const stored = useSyncExternalStore(never, readChoices, () => '');
  const restored = useMemo(() => parseTableState(stored), [stored]);
  const [changed, setChanged] = useState<TableState>();
  const state = changed ?? restored;
  return [
    state,
    function changeState(changes) {
      const next = { ...state, ...changes };
      setChanged(next);
      writeStored(STORAGE_KEY, JSON.stringify(next));
    },
  ];
}

/** Parses the stored choices. Returns the initial ones for an invalid or missing text. */
export function parseTableState(text: string): TableState {
  const value = parseJson(text);
  return isTableState(value) ? value : initial;
}

function isTableState(value: unknown): value is TableState {
  return (
    isRecord(value) &&
    hasFields(value.order, { texts: ['id'] }) &&
    (value.order.direction === 'asc' || value.order.direction === 'desc') &&
    typeof value.showsQuiet === 'boolean' &&
    isListOf(value.opened, (one) => typeof one === 'string')
  );
}
