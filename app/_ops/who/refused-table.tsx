import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/section';
import { useTRPC } from '../../_trpc/client';
import type { RefusedSubject } from '../types';
import { useRefetchOn } from '../use-refetch-on';
import { countedColumns } from './counted-columns';
import type { Counted } from './explain-dialog';
import { useRefusals } from './use-refusals';
import { Violations } from './violations';

/** Nodes tell each other once a second whom they refused. */
const settlesInMs = 1_500;

/** So many are shown before somebody asks for more: what follows was refused once or twice, as far as anybody knows. */
const shownFirst = 10;

interface Props {
  first: { subjects: RefusedSubject[] };
  onExplain(counted: Counted): void;
}

/** Who was refused most of late. */
export function RefusedTable({ first, onExplain }: Props) {
  const t = useTranslations('opsWho.refused');
  const { number } = useFormatter();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ops.subjects.queryOptions(), initialData: first });
  useRefetchOn({ signal: useRefusals(), queries: [trpc.ops.subjects.queryFilter()], settlesInMs });

  const [isWhole, setIsWhole] = useState(false);
  const most = useMemo(() => data.subjects.toSorted((one, other) => other.atLeast - one.atLeast), [data]);
  const rows = useMemo(() => (isWhole ? most : most.slice(0, shownFirst)), [isWhole, most]);

  const columns = useMemo((): Column<RefusedSubject>[] => {
    return [
      ...countedColumns<RefusedSubject>({ subject: t('subject'), level: t('level') }),
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
      {most.length > shownFirst && (
        <div>
          <Button aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? t('fewer') : t('all', { count: most.length })}
          </Button>
        </div>
      )}
    </Section>
  );
}
