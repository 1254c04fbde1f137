import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { ClockTime } from '../formats';
import { useLevelName, usePolicyName } from '../levels';
import { CsvButton, toCsvInstant } from '../tables/csv-button';
import type { AuditEntry, AuditPage } from '../types';
import { FieldValue, type UsualLimit } from './audit-value';
import { findLevel } from './limit-values';
import styles from './limits.module.css';

/** Lists the operators' actions, newest first. */
export function AuditLog({ first }: { first: AuditPage }) {
  const t = useTranslations('opsAudit');
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    trpc.ops.audit.infiniteQueryOptions(
      {},
      {
        getNextPageParam: ({ nextCursor }) => nextCursor,
        initialData: { pages: [first], pageParams: [null] },
      },
    ),
  );
  const entries = useMemo(() => data.pages.flatMap((page) => page.entries), [data]);
  const columns = useMemo((): Column<AuditEntry>[] => {
    return [
      {
        id: 'at',
        header: t('at'),
        sortBy: ({ at }) => at,
        csv: ({ at }) => toCsvInstant(at),
        cell: ({ at }) => <ClockTime at={at} />,
      },
      {
        id: 'who',
        header: t('who'),
        sortBy: ({ who, whoName }) => whoName ?? who,
        cell: ({ who, whoName }) => <span title={who}>{whoName ?? who}</span>,
      },
      {
        id: 'what',
        header: t('what'),
        sortBy: ({ what }) => what,
        csv: [
          { header: t('what'), read: ({ what }) => what },
          { header: t('target'), read: ({ target }) => target },
        ],
        cell: ({ what, target }) => (
          <>
            <ActionName what={what} /> <Target what={what} target={target} />
          </>
        ),
      },
      {
        id: 'changes',
        header: t('changes'),
        csv: (entry) => auditChanges(entry).map(toCsvChange).join('; '),
        cell: (entry) => <Changes entry={entry} />,
      },
      { id: 'why', header: t('why'), csv: ({ why }) => why ?? '', cell: ({ why }) => why },
    ];
  }, [t]);

  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <CsvButton
          label={t('title')}
          fileName="floodgate-operator-log"
          columns={columns}
          rows={entries}
          readPage={async (cursor) => {
            const page = await client.ops.audit.query({ cursor });
            return { rows: page.entries, nextCursor: page.nextCursor };
          }}
        />
      }
    >
      <DataTable
        label={t('title')}
        columns={columns}
        rows={entries}
        rowId={({ id }) => String(id)}
        empty={t('empty')}
        initialOrder={{ id: 'at', direction: 'desc' }}
      />
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
    </Section>
  );
}

const actions = [
  ...(['limit.update', 'limit.reset', 'limit.clear', 'ban.lift'] as const),
  ...(['limit.person.set', 'limit.person.lift'] as const),
  ...(['coupon.create', 'coupon.update', 'coupon.close', 'refund.markSent'] as const),
  ...(['queue.close', 'queue.open'] as const),
] as const;

/** Names an action in the page's language. An action of a newer server keeps its code. */
function ActionName({ what }: { what: string }) {
  const t = useTranslations('opsAudit.action');
  const action = actions.find((one) => one === what);
  return action ? <span title={what}>{t(action)}</span> : <code className={layout.code}>{what}</code>;
}

/** The actions whose target is `policy:level`, or `policy:level:subject`. */
const ON_LEVELS = /^(limit|ban|queue)\./;

/** Shows the changed object: a limit by the name of its level, anything else by its id. */
function Target({ what, target }: Pick<AuditEntry, 'what' | 'target'>) {
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const [policy = '', level = '', ...subject] = target.split(':');
  const names = [policyName(policy), levelName(level)].join(' · ');
  return (
    <div className={classNames(layout.soft, styles.auditTarget)} title={target}>
      {ON_LEVELS.test(what) ? names : target}
      {ON_LEVELS.test(what) && subject.length > 0 && (
        <>
          {' · '}
          <code className={styles.auditSubject}>{subject.join(':')}</code>
        </>
      )}
    </div>
  );
}

const fields = [
  ...(['limit', 'windowMs', 'mode', 'subject', 'bannedUntil', 'violations', 'status'] as const),
  ...(['title', 'kind', 'merchantId', 'faceValueCents', 'priceCents', 'stock'] as const),
  ...(['startsAt', 'endsAt', 'isClosed'] as const),
] as const;

/** Names a changed field in the page's language. An unknown field keeps its code. */
function FieldName({ field, of }: { field: string; of: AuditEntry }) {
  const t = useTranslations('opsAudit.field');
  const known = isPersonal(of) && field === 'kind' ? 'rule' : fields.find((one) => one === field);
  return <span className={layout.soft}>{known ? t(known) : field}</span>;
}

/** Returns whether an entry is about the limit of a single caller. */
function isPersonal({ what }: AuditEntry): boolean {
  return what.startsWith('limit.person.');
}

/** Actions whose entries have no previous state. */
const ACTIONS_WITHOUT_BEFORE = new Set(['coupon.create', 'limit.clear']);

function Changes({ entry }: { entry: AuditEntry }) {
  const t = useTranslations('opsAudit');
  const changes = auditChanges(entry);
  const level = useTargetLevel(entry);
  if (changes.length === 0) return t('nothing');
  return (
    <ul className={classNames(layout.figures, styles.auditChanges)}>
      {changes.map((change) => (
        <li key={change.field}>
          <Change {...change} entry={entry} level={level} />
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps extends FieldChange {
  entry: AuditEntry;
  level: UsualLimit | undefined;
}

/** Shows a field with its values before and after. */
function Change({ field, before, after, entry, level }: ChangeProps) {
  const t = useTranslations('opsAudit');
  if (entry.what === 'limit.clear' && field === 'subject' && after === 'all') return t('allCleared');
  const missing = t(missingOf(entry.what, field));
  const old = <FieldValue {...{ field, level, missing }} value={before} of={entry.before} />;
  // A lifted block ends. Its caller and its violations stay what they were.
  const isKept = entry.what === 'ban.lift' && field !== 'bannedUntil';
  return (
    <>
      <FieldName field={field} of={entry} /> {isKept && old}
      {!isKept && !ACTIONS_WITHOUT_BEFORE.has(entry.what) && (
        <>
          <del className={styles.auditValue}>{old}</del> <span aria-hidden="true">→</span>{' '}
        </>
      )}
      {!isKept && (
        <ins className={classNames(layout.strong, styles.auditValue)}>
          <FieldValue
            {...{ field, level, missing }}
            value={isLostStart(entry.what, field) ? undefined : after}
            of={entry.after}
          />
        </ins>
      )}
    </>
  );
}

/** Returns the message for a field without a value. */
export function missingOf(
  what: string,
  field: string,
): 'lifted' | 'removed' | 'neverOpened' | 'declared' | 'notSet' {
  if (what === 'ban.lift') return 'lifted';
  if (isLostStart(what, field)) return 'neverOpened';
  if (what === 'limit.person.lift') return 'removed';
  // A field of a limit without an override has its declared value.
  return what.startsWith('limit.') && field !== 'endsAt' ? 'declared' : 'notSet';
}

/** Returns whether a sale was ended before its start. The server moves its start to 1 ms before its end. */
function isLostStart(what: string, field: string): boolean {
  return what === 'coupon.close' && field === 'startsAt';
}

/** Returns the usual numbers of the level that an entry changes: for one caller the general ones, else the defaults. */
function useTargetLevel(entry: AuditEntry): UsualLimit | undefined {
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.limit.list.queryOptions(), enabled: entry.what.startsWith('limit.') });
  const [policy = '', name = ''] = entry.target.split(':');
  const level = findLevel(data?.policies, { policy, level: name });
  if (!level || !entry.what.startsWith('limit.')) return undefined;
  return { ...(isPersonal(entry) ? level.effective : level.declared), algorithm: level.algorithm };
}

/** A changed field of an audit entry. `undefined`: not set. */
interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Counters that every change increments. They are not shown. */
const VERSION_FIELDS = new Set(['version', 'revision']);

/** Returns the changed fields of an audit entry, in their order. */
export function auditChanges({ before, after }: Pick<AuditEntry, 'before' | 'after'>): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !VERSION_FIELDS.has(field))
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}

/** Formats a change for a CSV file: the names and values of the API. */
function toCsvChange({ field, before, after }: FieldChange): string {
  const [from, to] = [before, after].map((value) => (value === undefined ? '' : JSON.stringify(value)));
  return `${field}: ${from} → ${to}`;
}
