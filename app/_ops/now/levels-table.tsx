import { useTranslations } from 'next-intl';
import { useDeferredValue, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../_components/ui/button';
import controls from '../../_components/ui/controls.module.css';
import { DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import type { Order } from '../../_components/ui/sort-rows';
import { readStored, writeStored } from '../../_live/browser-storage';
import { levelKey } from '../../_live/level-key';
import { hasFields, isListOf, isRecord, parseJson } from '../../_live/parse-json';
import { useIsOutage } from '../health';
import { useLevelName, usePolicyName } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { HealthNotes } from './health-notes';
import { useLevelColumns } from './level-columns';
import { defaultOrder, joinRows, type LevelRow, rowKey, useLevelRows } from './level-rows';
import styles from './now.module.css';
import { PolicyPanel } from './policy-panel';

/**
 * Lists the levels by policy: the sale first, then policies at their limits, then the busiest. Quiet ones fold into one line.
 * Each row opens into its window and its chart. The order and the folds are kept in the browser.
 */
export function LevelsTable({ policies }: { policies: Policy[] }) {
  const t = useTranslations('opsNow.levels');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const frame = useRef<HTMLDivElement>(null);
  const tableId = useId();
  const [{ order, showsQuiet, opened }, changeState] = useTableState();
  const [filter, setFilter] = useState('');
  const windows = useOpsFeed(({ event }) => event?.windows);
  // The first rows render in slices, or they would block a phone.
  const hasRows = useDeferredValue(windows !== undefined, false);
  const nameOf = ({ policy: { policy }, level: { level } }: LevelRow) =>
    `${policyName(policy)} ${policy} ${levelName(level)}`;
  // Without Redis, a limit without calls is not quiet: most refuse each call.
  const isOutage = useIsOutage();
  const isDefault = order.id === defaultOrder.id;
  const restoreOrder = () => changeState({ order: defaultOrder });
  const isOpen = (row: LevelRow) => opened.includes(rowKey(row));

  const columns = useLevelColumns({
    ...{ opened, nameOf },
    onToggle(key) {
      changeState({
        opened: opened.includes(key) ? opened.filter((one) => one !== key) : [...opened, key],
      });
    },
    usedShareOf(row) {
      const window = windows?.find((one) => levelKey(one) === rowKey(row));
      return window ? window.used / window.limit : 0;
    },
  });
  const { shown, quiet, isOrderKept } = useLevelRows({
    ...{ policies, order, frame },
    sortBy: columns.find(({ id }) => id === order.id)?.sortBy,
  });
  const wanted = filter.trim().toLowerCase();
  // Another order separates the levels of a policy.
  const join = (rows: LevelRow[]) => (isDefault ? joinRows(rows) : rows);
  const matching = join([...shown, ...quiet].filter((row) => nameOf(row).toLowerCase().includes(wanted)));
  const found = filter && t('filtered', { filter, count: matching.length });
  const hasMatches = filter !== '' && matching.length > 0;
  const unfolded = join([...shown, ...(showsQuiet ? quiet : quiet.filter(isOpen))]);

  return (
    <div ref={frame} className={layout.stack2}>
      <div className={styles.tools}>
        <input
          type="search"
          className={controls.control}
          aria-label={t('search')}
          placeholder={t('search')}
          autoComplete="off"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <HealthNotes />
      </div>
      <div id={tableId}>
        <DataTable
          label={t('title')}
          columns={columns}
          rows={hasRows ? (filter ? matching : unfolded) : undefined}
          rowId={rowKey}
          empty={found || t(isOutage ? 'noneBefore' : 'none')}
          sorting={{ order, onSort: (next) => changeState({ order: next }), onRestore: restoreOrder }}
          detail={(row) => isOpen(row) && <PolicyPanel {...row} />}
          isJoined={(row) => row.isJoined}
          manyColumns
        />
      </div>
      <div className={styles.foot} hidden={!hasRows}>
        {quiet.length > 0 && !filter && (
          <Button
            variant="quiet"
            aria-expanded={showsQuiet}
            aria-controls={tableId}
            onClick={() => changeState({ showsQuiet: !showsQuiet })}
          >
            {t(`${showsQuiet ? 'hide' : 'show'}${isOutage ? 'More' : 'Quiet'}`, { count: quiet.length })}
          </Button>
        )}
        {/* The table shows that there is no match. */}
        <span role="status" className={hasMatches ? undefined : layout.visuallyHidden}>
          {found}
        </span>
        {filter ? (
          <Button
            variant="quiet"
            className={hasMatches ? styles.after : undefined}
            onClick={() => setFilter('')}
          >
            {t('showAll')}
          </Button>
        ) : (
          <>
            {!isDefault && (
              <Button variant="quiet" onClick={restoreOrder}>
                {t('restoreOrder')}
              </Button>
            )}
            {isOrderKept && <span className={layout.hint}>{t('orderKept')}</span>}
            {isDefault && !isOrderKept && !isOutage && <span className={layout.hint}>{t('order')}</span>}
            <span className={layout.hint}>{t('rates')}</span>
          </>
        )}
      </div>
    </div>
  );
}

/** The choices of an operator in the table of levels. */
export interface TableState {
  order: Order;
  showsQuiet: boolean;
  /** The `rowKey`s of the opened rows. */
  opened: readonly string[];
}

const STORAGE_KEY = 'floodgate.ops.levels';

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
