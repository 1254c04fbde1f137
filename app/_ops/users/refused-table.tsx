import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/section';
import { useTRPC } from '../../_trpc/client';
import type { RefusedSubject } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { callerColumns } from './caller-columns';
import type { Caller } from './explain-dialog';
import { useRefusalSignal } from './use-refusal-signal';
import { Violations } from './violations';

/** Nodes share their refused subjects once a second. */
const SETTLE_MS = 1_500;

/** Rows before "show all". The remaining ones were refused only a few times. */
const INITIAL_ROWS = 10;

interface Props {
  first: { subjects: RefusedSubject[] };
  onExplain(counted: Caller): void;
}

/** Lists the most refused callers. */
export function RefusedTable({ first, onExplain }: Props) {
  const t = useTranslations('opsUsers.refused');
  const { number } = useFormatter();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ops.subjects.queryOptions(), initialData: first });
  useRefetchOnChange({
    signal: useRefusalSignal(),
    queries: [trpc.ops.subjects.queryFilter()],
    settleMs: SETTLE_MS,
  });

  const [showsAll, setShowsAll] = useState(false);
  const sorted = useMemo(() => data.subjects.toSorted((one, other) => other.atLeast - one.atLeast), [data]);
  const rows = useMemo(() => (showsAll ? sorted : sorted.slice(0, INITIAL_ROWS)), [showsAll, sorted]);

  const columns = useMemo((): Column<RefusedSubject>[] => {
    return [
      ...callerColumns<RefusedSubject>({ subject: t('subject'), level: t('level') }),
      {
        id: 'refused',
        header: t('times'),
        kind: 'number',
        sortBy: ({ atLeast }) => atLeast,
        cell: ({ atLeast, atMost }) =>
          atLeast === atMost ? number(atLeast) : t('between', { atLeast, atMost }),
      },
      {
        id: 'violations',
        header: t('violations'),
        kind: 'number',
        sortBy: ({ punished }) => punished?.violations,
        cell: ({ punished }) => <Violations punished={punished} />,
      },
      {
        id: 'explain',
        header: t('why'),
        cell: (row) => (
          <Button
            aria-label={t('explainLabel', { subject: row.subject, policy: row.policy })}
            onClick={() => onExplain(row)}
          >
            {t('explain')}
          </Button>
        ),
      },
    ];
  }, [t, number, onExplain]);

  return (
    <Section title={t('title')} lead={t('lead')}>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={rows}
        rowId={({ policy, level, ref }) => `${policy}:${level}:${ref}`}
        empty={t('empty')}
        initialOrder={{ id: 'refused', direction: 'desc' }}
      />
      {sorted.length > INITIAL_ROWS && (
        <div>
          <Button aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? t('fewer') : t('all', { count: sorted.length })}
          </Button>
        </div>
      )}
    </Section>
  );
}
