import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClockTime } from '../formats';
import { usePolicyName } from '../levels';
import { findLevel, useFormatLimit } from '../limits/limit-values';
import { secondsFileColumn, toCsvInstant } from '../tables/csv-button';
import { instantColumn, TableSection } from '../tables/table-section';
import type { Person, PersonPage, Policy } from '../types';
import { useRefetchAfterOutage } from '../use-refetch';
import { callerColumns } from './callers';

interface Props {
  /** Absent: Postgres did not respond. */
  first: PersonPage | undefined;
  policies: Policy[];
  /** Opens the dialog that adds a personal limit. */
  onAdd(): void;
}

/**
 * Lists the limits of single callers, newest first, with their CSV file. They are in Postgres, so this section can fail
 * alone.
 */
export function PersonsTable({ first, policies, onAdd }: Props) {
  const t = useTranslations('opsUsers.persons');
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useInfiniteQuery({
    ...trpc.limit.person.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor }),
    ...(first && { initialData: { pages: [first], pageParams: [null] } }),
  });
  const { data, error } = query;
  useRefetchAfterOutage({ store: 'postgres', error, queries: [trpc.limit.person.list.pathFilter()] });
  const columns = usePersonColumns(policies);

  if (error && !data) {
    return (
      <Section title={t('title')}>
        <ProblemNote problem={problemOf(error)} here="/ops/who" />
      </Section>
    );
  }
  return (
    <TableSection
      title={t('title')}
      lead={t('lead')}
      fileName="floodgate-personal-limits"
      columns={columns}
      rows={data?.pages.flatMap(({ persons }) => persons)}
      rowId={({ personId }) => String(personId)}
      empty={t('empty')}
      query={query}
      readPage={async (cursor) => {
        const { persons, nextCursor } = await client.limit.person.list.query({ cursor });
        return { rows: persons, nextCursor };
      }}
      actions={
        <Button aria-haspopup="dialog" onClick={onAdd}>
          {t('add')}
        </Button>
      }
    />
  );
}

function usePersonColumns(policies: Policy[]): Column<Person>[] {
  const t = useTranslations('opsUsers.persons');
  const tUsers = useTranslations('opsUsers');
  const { length } = useDurations();
  const formatLimit = useFormatLimit();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.limit.list.queryOptions(), initialData: { policies } });

  /** Returns the numbers of a rule. A number that it lacks is that of its level. */
  function limitOf({ policy, level, rule }: Person) {
    if (rule.kind !== 'numbers') return undefined;
    const general = findLevel(data.policies, { policy, level });
    const { limit = general?.effective.limit, windowMs = general?.effective.windowMs } = rule;
    return { limit, windowMs, algorithm: general?.algorithm ?? '' };
  }

  /** Returns the rule as a text, without the end of a denial. */
  function ruleText(person: Person): string {
    const numbers = limitOf(person);
    if (!numbers) return t(`kinds.${person.rule.kind}`);
    const { limit, windowMs, algorithm } = numbers;
    if (limit !== undefined && windowMs !== undefined) {
      return formatLimit({ limit, windowMs }, algorithm);
    }
    return windowMs === undefined
      ? t('limitOnly', { limit: limit ?? 0 })
      : t('windowOnly', { window: length(windowMs) });
  }
  return [
    ...callerColumns<Person>({ subject: t('subject'), policy: tUsers('policy'), level: t('level') }),
    {
      id: 'rule',
      header: t('rule'),
      sortBy: ruleText,
      csv: [
        { header: t('rule'), read: ({ rule }) => t(`kinds.${rule.kind}`) },
        { header: t('limit'), read: (person) => limitOf(person)?.limit },
        secondsFileColumn(t('window'), (person) => limitOf(person)?.windowMs),
        {
          header: t('kinds.deny'),
          read: ({ rule }) => (rule.kind === 'deny' ? toCsvInstant(rule.until) : undefined),
        },
      ],
      cell: (person) =>
        person.rule.kind === 'deny' ? <DeniedUntil at={person.rule.until} /> : ruleText(person),
    },
    { id: 'why', header: t('why'), sortBy: ({ why }) => why, cell: ({ why }) => why },
    {
      id: 'who',
      header: t('who'),
      sortBy: ({ who, whoName }) => whoName ?? who,
      cell: ({ who, whoName }) => <span title={who}>{whoName ?? who}</span>,
    },
    instantColumn({ id: 'changedAt', header: t('changedAt') }, ({ changedAt }) => changedAt, 'minute'),
    { id: 'actions', header: t('actions'), cell: (person) => <LiftPerson person={person} /> },
  ];
}

function DeniedUntil({ at }: { at: number }) {
  const t = useTranslations('opsUsers.persons');
  return t.rich('deniedUntil', { at: () => <ClockTime at={at} to="minute" /> });
}

/** Lifts a personal limit with one click. The row leaves the list. */
function LiftPerson({ person: { personId, subject, policy } }: { person: Person }) {
  const t = useTranslations('opsUsers.persons');
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.limit.person.lift.mutationOptions({
      onSettled: () =>
        Promise.all(
          [trpc.limit.person.list, trpc.ops.audit].map((one) =>
            queryClient.invalidateQueries(one.pathFilter()),
          ),
        ),
    }),
  );
  return (
    <>
      <Button
        aria-label={t('liftLabel', { subject, policy: policyName(policy) })}
        busy={isPending}
        onClick={() => mutate({ personId })}
      >
        {t('lift')}
      </Button>
      <span role="status" className={layout.failed}>
        {error && problemOf(error).kind !== 'missing' && t('failed')}
      </span>
    </>
  );
}
