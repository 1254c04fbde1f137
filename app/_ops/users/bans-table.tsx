import { useTranslations } from 'next-intl';
import { useCallback, useMemo, useState } from 'react';
import { Button } from '../../_components/ui/button';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/section';
import { useDurations } from '../../_i18n/use-durations';
import { useFormats } from '../../_i18n/use-formats';
import { useServerClock } from '../../_live/live-provider';
import { useCountdown } from '../../_live/use-now';
import { useTRPC } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { useQuery, useQueryClient } from '../../_trpc/query';
import { useMutation } from '../../_trpc/use-mutation';
import { CsvTable } from '../tables/csv-table';
import { toCsvInstant } from '../tables/to-csv-instant';
import type { Ban } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { type Caller, callerColumns, useRefusalSignal } from './callers';

interface Props {
  first: { bans: Ban[] };
  onExplain(caller: Caller): void;
}

/** Lists the active bans. A ban that is lifted here stays listed, and keeps the focus. */
export function BansTable({ first, onExplain }: Props) {
  const t = useTranslations('opsUsers.bans');
  const { number } = useFormats();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ban.list.queryOptions(), initialData: first });
  const [lifted, setLifted] = useState<readonly Ban[]>([]);
  useRefetchOnChange({ signal: useRefusalSignal(), queries: [trpc.ban.list.queryFilter()] });

  const rows = useMemo(
    () => [...data.bans.filter((ban) => !isAmong(lifted, ban)), ...lifted],
    [data, lifted],
  );
  const lift = useCallback((ban: Ban) => setLifted((before) => [...before, ban]), []);
  const columns = useMemo((): Column<Ban>[] => {
    return [
      ...callerColumns<Ban>({ subject: t('subject'), level: t('level') }),
      {
        id: 'violations',
        header: t('violations'),
        kind: 'number',
        sortBy: ({ violations }) => violations,
        cell: ({ violations }) => number(violations),
      },
      {
        id: 'left',
        header: t('left'),
        kind: 'number',
        sortBy: ({ bannedUntil }) => bannedUntil,
        csv: ({ bannedUntil }) => toCsvInstant(bannedUntil),
        cell: (ban) => (isAmong(lifted, ban) ? '–' : <TimeLeft until={ban.bannedUntil} />),
      },
      {
        id: 'actions',
        header: t('actions'),
        kind: 'actions',
        cell: (ban) => (
          <span className={layout.inline2}>
            <LiftBan ban={ban} isLifted={isAmong(lifted, ban)} onLifted={lift} />
            <Button
              aria-label={t('explainLabel', { subject: ban.subject, policy: ban.policy })}
              onClick={() => onExplain(ban)}
            >
              {t('explain')}
            </Button>
          </span>
        ),
      },
    ];
  }, [t, number, lifted, lift, onExplain]);

  return (
    <Section title={t('title')} lead={t('lead')}>
      <CsvTable
        fileName="floodgate-blocked"
        label={t('title')}
        columns={columns}
        rows={rows}
        rowId={({ banId }) => banId}
        empty={t('empty')}
        initialOrder={{ id: 'left', direction: 'asc' }}
      />
    </Section>
  );
}

function isAmong(bans: readonly Ban[], { banId }: Ban): boolean {
  return bans.some((ban) => ban.banId === banId);
}

interface LiftBanProps {
  ban: Ban;
  isLifted: boolean;
  onLifted(ban: Ban): void;
}

/** Lifts a ban with one click. */
function LiftBan({ ban, isLifted, onLifted }: LiftBanProps) {
  const t = useTranslations('opsUsers.bans');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.ban.lift.mutationOptions({
      onSuccess: () => onLifted(ban),
      onSettled: () => queryClient.invalidateQueries(trpc.ban.list.queryFilter()),
    }),
  );
  return (
    <>
      <Button
        aria-label={t(isLifted ? 'liftedLabel' : 'liftLabel', { subject: ban.subject, policy: ban.policy })}
        closed={isLifted}
        busy={isPending}
        onClick={() => mutate({ banId: ban.banId })}
      >
        {t(isLifted ? 'lifted' : 'lift')}
      </Button>
      <span role="status" className={layout.failed}>
        {error && t(`failed.${reasonOf(problemOf(error))}`)}
      </span>
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
