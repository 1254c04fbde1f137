import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { levelKey } from '../../_live/level-key';
import { useServerClock } from '../../_live/live-provider';
import { useCountdown } from '../../_live/use-now';
import { useTRPC } from '../../_trpc/client';
import { formatRate, usePrecise } from '../formats';
import { LevelLabel, usePolicyName } from '../levels';
import { type OpsQueue, servedPerSecond } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';

/** Lists the queues in which callers wait, and the closed ones. Operators close and open them. */
export function QueuesTable() {
  const t = useTranslations('opsNow.queues');
  const queues = useOpsFeed(({ event }) => event?.queues);
  const columns: Column<OpsQueue>[] = [
    { id: 'level', header: t('level'), cell: (queue) => <LevelLabel {...queue} /> },
    { id: 'waiting', header: t('waiting'), kind: 'number', cell: ({ waiting }) => formatCount(waiting) },
    {
      id: 'next',
      header: t('next'),
      kind: 'number',
      cell: ({ nextTurnAt }) => <TimeLeft until={nextTurnAt} />,
    },
    {
      id: 'last',
      header: t('last'),
      kind: 'number',
      cell: ({ lastTurnAt }) => <TimeLeft until={lastTurnAt} />,
    },
    { id: 'served', header: t('served'), kind: 'number', cell: (queue) => <ServedRate queue={queue} /> },
    {
      id: 'late',
      header: t('late'),
      kind: 'number',
      cell: (queue) => <Lateness queue={queue} />,
    },
    {
      id: 'actions',
      header: t('actions'),
      card: 'line',
      cell: (queue) => <QueueSwitch queue={queue} />,
    },
  ];
  const shown = queues?.filter(({ waiting, isClosed }) => waiting > 0 || isClosed) ?? [];
  if (shown.length === 0) return null;
  return (
    <Section title={t('title')} lead={t('lead')}>
      <DataTable label={t('title')} columns={columns} rows={shown} rowId={levelKey} empty={null} />
    </Section>
  );
}

/** Counts down to the upper bound of a turn. */
function TimeLeft({ until }: { until: number | null }) {
  const { wait } = useDurations();
  const seconds = useCountdown({ clock: useServerClock(), until: until ?? 0 });
  return until === null ? '–' : wait(seconds);
}

function Lateness({ queue: { late, longestLateMs } }: { queue: OpsQueue }) {
  const t = useTranslations('opsNow.queues');
  const precise = usePrecise();
  return late === 0 ? '0' : t('lateBy', { count: late, longest: precise(longestLateMs) });
}

function ServedRate({ queue }: { queue: OpsQueue }) {
  const t = useTranslations('opsNow.pulse');
  const samples = useOpsFeed(({ served }) => served[levelKey(queue)]);
  return t('rate', { rate: formatRate(servedPerSecond(samples)) });
}

interface SwitchProps {
  queue: OpsQueue;
  /** The element id of its description. */
  hintId?: string;
}

/** Closes a queue for new tickets, or opens it. */
export function QueueSwitch({ queue: { policy, level, isClosed }, hintId }: SwitchProps) {
  const t = useTranslations('opsNow.queues');
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const close = useMutation(trpc.queue.close.mutationOptions());
  const open = useMutation(trpc.queue.open.mutationOptions());
  const { mutate, isPending, error } = isClosed ? open : close;
  return (
    <span className={layout.inline2}>
      {isClosed && <Badge tone="wait">{t('closed')}</Badge>}
      <Button
        aria-label={t(isClosed ? 'openLabel' : 'closeLabel', { policy: policyName(policy) })}
        aria-describedby={hintId}
        busy={isPending}
        onClick={() => mutate({ policy, level })}
      >
        {t(isClosed ? 'open' : 'close')}
      </Button>
      <span role="status" className={layout.failed}>
        {error && t('failed')}
      </span>
    </span>
  );
}
