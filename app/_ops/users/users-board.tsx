'use client';

import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useTRPC } from '../../_trpc/client';
import { useLevelName, usePolicyName } from '../levels';
import { CsvButton } from '../tables/csv-button';
import type { BanPage, PersonPage, Policy, RefusedSubject } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import { BansTable, useBans } from './bans-table';
import { type Caller, callerColumns, useRefusalSignal } from './callers';
import { ExplainDialog } from './explain-dialog';
import { PersonsTable } from './persons-table';
import styles from './users.module.css';

const PersonDialog = dynamic(() => import('./person-dialog'), { loading: () => null });

/** Shows banned and refused callers with explanations, and the limits of single callers. */
export function UsersBoard({
  refused,
  banned,
  listed,
  policies,
}: {
  refused: { subjects: RefusedSubject[] };
  banned: BanPage;
  /** Absent: Postgres did not respond. */
  listed: PersonPage | undefined;
  policies: Policy[];
}) {
  const [explained, setExplained] = useState<Caller>();
  const [isOpen, setIsOpen] = useState(false);
  const bans = useBans(banned);
  const [limited, setLimited] = useState<{ caller: Caller | undefined; isOpen: boolean }>();

  function explain(caller: Caller): void {
    setExplained(caller);
    setIsOpen(true);
  }

  return (
    <>
      <BansTable bans={bans} onExplain={explain} />
      <RefusedTable first={refused} onExplain={explain} />
      <PersonsTable
        first={listed}
        policies={policies}
        onAdd={() => setLimited({ caller: undefined, isOpen: true })}
      />
      <ExplainDialog
        caller={explained}
        bans={bans}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onLimit={(caller) => {
          setIsOpen(false);
          setLimited({ caller, isOpen: true });
        }}
      />
      {limited && <PersonDialog {...limited} onClose={() => setLimited({ ...limited, isOpen: false })} />}
    </>
  );
}

/** Nodes publish their refused subjects once a second. A refetch waits for all of them. */
const SETTLE_MS = 1_500;

/** The server lists at most this number of callers. */
const MAX_LISTED = 50;
/** The number of rows before "show all". */
const INITIAL_ROWS = 10;

interface RefusedTableProps {
  first: { subjects: RefusedSubject[] };
  onExplain(caller: Caller): void;
}

/** The level that counts all callers together. A flood fills it with callers who did nothing wrong. */
const SHARED_LEVEL = 'global';

/** Lists the most refused callers; those that a shared limit refused are one line, which opens into their table. */
function RefusedTable({ first, onExplain }: RefusedTableProps) {
  const t = useTranslations('opsUsers.refused');
  const tUsers = useTranslations('opsUsers');
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ops.subjects.queryOptions(), initialData: first });
  useRefetchOnChange({
    signal: useRefusalSignal(),
    queries: [trpc.ops.subjects.queryFilter()],
    settleMs: SETTLE_MS,
  });

  const [showsShared, setShowsShared] = useState(false);
  const sharedId = useId();
  const sorted = data.subjects.toSorted((one, other) => other.atLeast - one.atLeast);
  const isShared = ({ refusedBy }: RefusedSubject) => refusedBy === SHARED_LEVEL;
  const own = sorted.filter((row) => !isShared(row));
  const shared = sorted.filter(isShared);

  const columns: Column<RefusedSubject>[] = [
    ...callerColumns<RefusedSubject>({ subject: t('subject'), policy: tUsers('policy'), level: t('level') }),
    {
      id: 'refusedBy',
      header: t('refusedBy'),
      sortBy: ({ refusedBy }) => refusedBy,
      cell: (row) => <RefusedBy row={row} />,
    },
    {
      id: 'refused',
      header: t('times'),
      kind: 'number',
      sortBy: ({ atLeast }) => atLeast,
      csv: [
        { header: t('atLeast'), read: ({ atLeast }) => atLeast },
        { header: t('atMost'), read: ({ atMost }) => atMost },
      ],
      cell: ({ atLeast, atMost }) =>
        atLeast === atMost ? formatCount(atLeast) : t('between', { atLeast, atMost }),
    },
    {
      id: 'violations',
      header: t('violations'),
      kind: 'number',
      sortBy: ({ punished }) => punished?.violations,
      csv: [
        { header: t('violations'), read: ({ punished }) => punished?.violations },
        { header: t('banAt'), read: ({ punished }) => punished?.banAt },
      ],
      cell: ({ punished }) => <Violations punished={punished} />,
    },
    {
      id: 'explain',
      header: t('why'),
      cell: (row) => (
        <Button
          aria-label={t('explainLabel', { subject: row.subject, policy: policyName(row.policy) })}
          onClick={() => onExplain(row)}
        >
          {t('explain')}
        </Button>
      ),
    },
  ];

  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={<CsvButton fileName="floodgate-refused" label={t('title')} columns={columns} rows={own} />}
    >
      <Callers
        label={t('title')}
        columns={columns}
        rows={own}
        empty={t(shared.length > 0 ? 'emptyOwn' : 'empty')}
      />
      {shared.length > 0 && (
        <>
          <div className={styles.shared}>
            {t(data.subjects.length < MAX_LISTED ? 'shared' : 'sharedMany', { count: shared.length })}
            <Button
              variant="quiet"
              aria-expanded={showsShared}
              aria-controls={sharedId}
              onClick={() => setShowsShared(!showsShared)}
            >
              {t(showsShared ? 'hideShared' : 'showShared')}
            </Button>
            {showsShared && (
              <CsvButton
                fileName="floodgate-refused"
                label={t('sharedTitle')}
                columns={columns}
                rows={shared}
              />
            )}
          </div>
          <div id={sharedId} hidden={!showsShared}>
            {showsShared && <Callers label={t('sharedTitle')} columns={columns} rows={shared} empty="" />}
          </div>
        </>
      )}
    </Section>
  );
}

interface CallersProps {
  label: string;
  columns: Column<RefusedSubject>[];
  /** The most refused first. */
  rows: readonly RefusedSubject[];
  empty: string;
}

/** A table of refused callers: the first ten, then all. */
function Callers({ label, columns, rows, empty }: CallersProps) {
  const t = useTranslations('opsUsers.refused');
  const [showsAll, setShowsAll] = useState(false);
  return (
    <div className={layout.stack3}>
      <DataTable
        label={label}
        columns={columns}
        rows={showsAll ? rows : rows.slice(0, INITIAL_ROWS)}
        rowId={({ policy, level, refusedBy, ref }) => `${policy}:${level}:${refusedBy}:${ref}`}
        empty={empty}
        initialOrder={{ id: 'refused', direction: 'desc' }}
      />
      {rows.length > INITIAL_ROWS && (
        <div>
          <Button aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? t('fewer') : t('all', { count: rows.length })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Shows the level that refused; a dash if it is the one that counts the caller, as in most rows. */
function RefusedBy({ row: { level, refusedBy } }: { row: RefusedSubject }) {
  const t = useTranslations('opsUsers.refused');
  const levelName = useLevelName();
  // An older node does not report the level.
  if (!refusedBy) return t('unknown');
  if (refusedBy !== level) return levelName(refusedBy);
  return (
    <span className={layout.soft}>
      <span aria-hidden="true">–</span>
      <span className={layout.visuallyHidden}>{t('sameLimit')}</span>
    </span>
  );
}

/** Shows the violations of a caller and the number that leads to a ban; says so for a level that never bans. */
function Violations({ punished }: Pick<RefusedSubject, 'punished'>) {
  const t = useTranslations('opsUsers.refused');
  if (!punished) return t('noBlocks');
  const { violations, banAt, warning, bannedUntil } = punished;
  const isBanned = bannedUntil !== null;
  return (
    <span className={layout.inline2}>
      {(isBanned || warning) && (
        <Badge tone={isBanned ? 'fail' : 'wait'}>{t(isBanned ? 'blocked' : 'warned')}</Badge>
      )}{' '}
      {t('violationsOf', { violations, banAt })}
    </span>
  );
}
