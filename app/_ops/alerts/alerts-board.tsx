'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Badge } from '../../_components/ui/badge';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/section';
import { useDurations } from '../../_i18n/use-durations';
import { ClockTime } from '../clock-time';
import type { Alert } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { AlertRule } from '../types';
import { ActiveAlerts, useAlertText } from './active-alerts';

const none: Alert[] = [];

/** Shows the active alerts, the rules, and the past alerts. */
export function AlertsBoard({ rules }: { rules: AlertRule[] }) {
  return (
    <>
      <ActiveAlerts />
      <RulesSection rules={rules} />
      <HistorySection />
    </>
  );
}

function RulesSection({ rules }: { rules: AlertRule[] }) {
  const t = useTranslations('opsAlerts');
  const { length } = useDurations();
  const { ruleName, formatValue } = useAlertText();
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const active = useOpsFeed(({ event }) => event?.alerts.active ?? none);

  const columns: Column<AlertRule>[] = [
    {
      id: 'rule',
      header: t('column.rule'),
      sortBy: ({ rule }) => ruleName(rule),
      cell: ({ rule }) => ruleName(rule),
    },
    {
      id: 'raise',
      header: t('column.raise'),
      cell: ({ rule, raiseAt, forMs }) =>
        isYesOrNo(formatValue(rule, raiseAt))
          ? t('raisesFor', { time: length(forMs) })
          : t('raises', { value: formatValue(rule, raiseAt), time: length(forMs) }),
    },
    {
      id: 'clear',
      header: t('column.clear'),
      cell: ({ rule, clearAt, clearMs }) =>
        isYesOrNo(formatValue(rule, clearAt))
          ? t('clearsFor', { time: length(clearMs) })
          : t('clears', { value: formatValue(rule, clearAt), time: length(clearMs) }),
    },
    {
      id: 'state',
      header: t('column.state'),
      sortBy: ({ rule }) => active.filter((alert) => alert.rule === rule).length,
      cell: ({ rule }) => (
        <RuleState isKnown={isKnown} active={active.filter((alert) => alert.rule === rule)} />
      ),
    },
  ];

  return (
    <Section title={t('rules')} lead={t('rulesLead')}>
      <DataTable
        label={t('rules')}
        columns={columns}
        rows={rules}
        rowId={({ rule }) => rule}
        empty={t('noRules')}
      />
    </Section>
  );
}

function isYesOrNo(measured: string): boolean {
  return measured === '';
}

function RuleState({ isKnown, active }: { isKnown: boolean; active: Alert[] }) {
  const t = useTranslations('opsAlerts.state');
  if (!isKnown) return <Badge>{t('unknown')}</Badge>;
  if (active.length === 0) return <Badge tone="leaf">{t('quiet')}</Badge>;
  const targets = active.map(({ target }) => target).filter(Boolean);
  return (
    <Badge tone="ember">
      {targets.length > 0 ? t('firingOn', { targets: targets.join(', ') }) : t('firing')}
    </Badge>
  );
}

function HistorySection() {
  const t = useTranslations('opsAlerts');
  const { length } = useDurations();
  const { title, formatValue } = useAlertText();
  const recent = useOpsFeed(({ event }) => event?.alerts.recent);

  const columns = useMemo(
    (): Column<Alert>[] => [
      { id: 'alert', header: t('column.alert'), sortBy: title, cell: title },
      {
        id: 'raised',
        header: t('column.raised'),
        sortBy: ({ raisedAt }) => raisedAt,
        cell: ({ raisedAt }) => <ClockTime at={raisedAt} />,
      },
      {
        id: 'cleared',
        header: t('column.cleared'),
        sortBy: ({ clearedAt }) => clearedAt,
        cell: ({ clearedAt }) => clearedAt && <ClockTime at={clearedAt} />,
      },
      {
        id: 'lasted',
        header: t('column.lasted'),
        kind: 'number',
        sortBy: ({ raisedAt, clearedAt = raisedAt }) => clearedAt - raisedAt,
        cell: ({ raisedAt, clearedAt = raisedAt }) =>
          length(Math.max(1, Math.round((clearedAt - raisedAt) / 1_000)) * 1_000),
      },
      {
        id: 'value',
        header: t('column.value'),
        kind: 'number',
        cell: ({ rule, value }) => formatValue(rule, value) || '–',
      },
    ],
    [t, title, formatValue, length],
  );

  return (
    <Section title={t('history')} lead={t('historyLead')}>
      <DataTable
        label={t('history')}
        columns={columns}
        rows={recent}
        rowId={({ id }) => id}
        empty={t('noHistory')}
        initialOrder={{ id: 'raised', direction: 'desc' }}
      />
    </Section>
  );
}
