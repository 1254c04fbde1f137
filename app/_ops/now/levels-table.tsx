import { useTranslations } from 'next-intl';
import { useId, useMemo, useRef, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { foldQuiet, type LevelRow, listAttention, listLevelRows, rowKey } from './level-activity';
import { useLevelColumns } from './level-columns';
import { PolicyPanel } from './policy-panel';
import { useHeld } from './use-held';
import { SETTLE_MS, useSecond } from './use-second';

/** Lists the levels, busiest first. Quiet ones fold into one line. Each row opens into its window and its chart. */
export function LevelsTable({ policies }: { policies: Policy[] }) {
  const t = useTranslations('opsNow.levels');
  const frame = useRef<HTMLDivElement>(null);
  const tableId = useId();
  const [showsQuiet, setShowsQuiet] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const { shown, quiet } = useLevelRows(policies, useHeld(frame));

  const columns = useLevelColumns({
    opened,
    onToggle(key) {
      setOpened((before) => (before.has(key) ? without(before, key) : new Set([...before, key])));
    },
  });

  return (
    <div ref={frame} className={layout.stack2}>
      <div id={tableId}>
        <DataTable
          label={t('title')}
          columns={columns}
          rows={isKnown ? [...shown, ...(showsQuiet ? quiet : quiet.filter(isOpen))] : undefined}
          rowId={rowKey}
          empty={t('none')}
          detail={(row) => isOpen(row) && <PolicyPanel policy={row.policy} level={row.level} />}
        />
      </div>
      {isKnown && quiet.length > 0 && (
        <div className={layout.row3}>
          <Button
            aria-expanded={showsQuiet}
            aria-controls={tableId}
            onClick={() => setShowsQuiet(!showsQuiet)}
          >
            {t(showsQuiet ? 'hideQuiet' : 'showQuiet', { count: quiet.length })}
          </Button>
          <span className={layout.hint}>{t('quietSince')}</span>
        </div>
      )}
    </div>
  );

  function isOpen(row: LevelRow): boolean {
    return opened.has(rowKey(row));
  }
}

/** Returns the rows of the table. While it is held, the shown rows keep their places, so that no click hits another row. */
function useLevelRows(policies: Policy[], isHeld: boolean): ReturnType<typeof foldQuiet> {
  const history = useOpsFeed((snapshot) => snapshot.history);
  // A text keeps its identity from one event to the next.
  const attention = useOpsFeed(({ event }) => listAttention(policies, event).join());
  const to = useSecond() - SETTLE_MS;
  const rows = useMemo(
    () => listLevelRows({ policies, history, to, attention: new Set(attention.split(',')) }),
    [policies, history, to, attention],
  );
  const [kept, setKept] = useState<readonly string[]>();
  const folded = foldQuiet(rows, isHeld ? kept : undefined);
  if (isHeld && !kept) setKept(folded.shown.map(rowKey));
  if (!isHeld && kept) setKept(undefined);
  return folded;
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...keys].filter((one) => one !== key));
}
