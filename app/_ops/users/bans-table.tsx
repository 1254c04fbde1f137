import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Dialog } from '../../_components/ui/dialog';
import { TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { useServerClock } from '../../_live/live-provider';
import { useCountdown } from '../../_live/use-now';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { MAX_REASON_LENGTH } from '../form-problems';
import { usePolicyName } from '../levels';
import { CsvButton, toCsvInstant } from '../tables/csv-button';
import type { Ban, BanPage } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import { type Caller, callerColumns, useRefusalSignal } from './callers';

/** The bans that the page shows. */
export interface Bans {
  /** The active ones, and those that were lifted on this page. */
  shown: readonly Ban[];
  lifted: readonly Ban[];
  onLifted(ban: Ban): void;
  /** Loads the next page. Absent: all are shown. */
  loadMore: (() => Promise<unknown>) | undefined;
  isLoadingMore: boolean;
}

/** Returns the bans, with those that are lifted here: their rows stay, and keep the focus. */
export function useBans(first: BanPage): Bans {
  const trpc = useTRPC();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...trpc.ban.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor }),
    initialData: { pages: [first], pageParams: [null] },
  });
  const [lifted, setLifted] = useState<readonly Ban[]>([]);
  useRefetchOnChange({ signal: useRefusalSignal(), queries: [trpc.ban.list.pathFilter()] });

  return {
    shown: [...data.pages.flatMap(({ bans }) => bans).filter((ban) => !isAmong(lifted, ban)), ...lifted],
    lifted,
    loadMore: hasNextPage ? fetchNextPage : undefined,
    isLoadingMore: isFetchingNextPage,
    // The server clears the violations of a lifted ban.
    onLifted: (ban) => setLifted((before) => [...before, { ...ban, violations: 0 }]),
  };
}

interface Props {
  bans: Bans;
  onExplain(caller: Caller): void;
}

/** Lists the bans with their actions. */
export function BansTable({ bans, onExplain }: Props) {
  const t = useTranslations('opsUsers.bans');
  const tUsers = useTranslations('opsUsers');
  const policyName = usePolicyName();
  const { shown, lifted, loadMore, isLoadingMore } = bans;
  const client = useTRPCClient();
  const columns: Column<Ban>[] = [
    ...callerColumns<Ban>({ subject: t('subject'), policy: tUsers('policy'), level: t('level') }),
    {
      id: 'violations',
      header: t('violations'),
      kind: 'number',
      sortBy: ({ violations }) => violations,
      cell: ({ violations }) => formatCount(violations),
    },
    {
      id: 'left',
      header: t('left'),
      kind: 'number',
      // Callers without a block come last.
      sortBy: (ban) => (isAmong(lifted, ban) ? undefined : ban.bannedUntil),
      csv: [{ header: t('until'), read: ({ bannedUntil }) => toCsvInstant(bannedUntil) }],
      cell: (ban) => (isAmong(lifted, ban) ? undefined : <TimeLeft until={ban.bannedUntil} />),
    },
    {
      id: 'actions',
      header: t('actions'),
      card: 'line',
      cell: (ban) => (
        <span className={layout.line3}>
          <LiftBan ban={ban} bans={bans} />
          <Button
            aria-label={t('explainLabel', { subject: ban.subject, policy: policyName(ban.policy) })}
            onClick={() => onExplain(ban)}
          >
            {t('explain')}
          </Button>
        </span>
      ),
    },
  ];

  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <CsvButton
          fileName="floodgate-blocked"
          label={t('title')}
          columns={columns}
          rows={shown}
          readPage={async (cursor) => {
            const { bans: rows, nextCursor } = await client.ban.list.query({ cursor });
            return { rows, nextCursor };
          }}
        />
      }
    >
      <DataTable
        label={t('title')}
        columns={columns}
        rows={shown}
        rowId={({ banId }) => banId}
        empty={t('empty')}
        initialOrder={{ id: 'left', direction: 'asc' }}
      />
      {loadMore && (
        <Button busy={isLoadingMore} onClick={() => void loadMore()}>
          {t('more')}
        </Button>
      )}
      {lifted.length > 0 && <p className={layout.hint}>{t('liftedStay')}</p>}
    </Section>
  );
}

function isAmong(bans: readonly Ban[], { banId }: Ban): boolean {
  return bans.some((ban) => ban.banId === banId);
}

/** Lifts a ban, with a reason for the log. Afterwards, a label replaces the button. */
export function LiftBan({ ban, bans: { lifted, onLifted } }: { ban: Ban; bans: Bans }) {
  const t = useTranslations('opsUsers.bans');
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, isPending, error } = useMutation(
    trpc.ban.lift.mutationOptions({
      onSuccess: () => onLifted(ban),
      onSettled: () =>
        Promise.all(
          [trpc.ban.list.pathFilter(), trpc.ops.explain.pathFilter()].map((one) =>
            queryClient.invalidateQueries(one),
          ),
        ),
    }),
  );
  if (isAmong(lifted, ban)) {
    return (
      <Badge tone="good" isResult>
        {t('lifted')}
      </Badge>
    );
  }
  const name = { subject: ban.subject, policy: policyName(ban.policy) };

  function lift(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const why = String(new FormData(event.currentTarget).get('why') ?? '').trim();
    mutate({ banId: ban.banId, ...(why && { why }) });
  }

  return (
    <>
      <Button aria-haspopup="dialog" aria-label={t('liftLabel', name)} onClick={() => setIsOpen(true)}>
        {t('lift')}
      </Button>
      <Dialog title={t('liftTitle', name)} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <form className={layout.stack3} onSubmit={lift}>
          <TextField
            name="why"
            label={t('why')}
            maxLength={MAX_REASON_LENGTH}
            autoComplete="off"
            data-first-focus=""
          />
          <div className={layout.row2}>
            <Button type="submit" variant="primary" busy={isPending}>
              {t('lift')}
            </Button>
            <Button variant="quiet" onClick={() => setIsOpen(false)}>
              {t('cancel')}
            </Button>
          </div>
          <span role="status" className={classNames(layout.failed, layout.hiddenIfEmpty)}>
            {error && t(`failed.${reasonOf(problemOf(error))}`)}
          </span>
        </form>
      </Dialog>
    </>
  );
}

function reasonOf({ kind }: Problem): 'missing' | 'unavailable' | 'other' {
  return kind === 'missing' || kind === 'unavailable' ? kind : 'other';
}

/** Counts down to an instant of the server's clock. */
function TimeLeft({ until }: { until: number }) {
  const t = useTranslations('opsUsers.bans');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock: useServerClock(), until });
  return seconds > 0 ? wait(seconds) : t('over');
}
