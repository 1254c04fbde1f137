'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { useDurations } from '../../_i18n/use-durations';
import { ClockTime } from '../clock-time';
import type { Alert } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { CsvButton } from '../tables/csv-button';
import { toCsvInstant } from '../tables/to-csv-instant';
import type { AlertRule } from '../types';
import { ActiveAlerts, isKnownRule, useAlertText, useTargetName } from './active-alerts';
import styles from './alerts-board.module.css';
import { RefusingLevel } from './refusing-level';

/** Shows the active alerts, the rules, and the past alerts. */
export function AlertsBoard({ rules }: { rules: AlertRule[] }) {
  return (
    <>
      <ActiveAlerts
        detail={({ rule, target }) => rule === 'refused-share' && <RefusingLevel policy={target} />}
      />
      <RulesSection rules={rules} />
      <HistorySection />
    </>
  );
}

function RulesSection({ rules }: { rules: AlertRule[] }) {
  const t = useTranslations('opsAlerts');
  const { length } = useDurations();
  const { formatValue } = useAlertText();
  const active = useOpsFeed(({ event }) => event?.alerts.active);

  const columns = useMemo((): Column<AlertRule>[] => {
    const nameOf = ({ rule }: AlertRule) => (isKnownRule(rule) ? t(`rule.${rule}`) : rule);
    const raisesAt = ({ rule, raiseAt, forMs }: AlertRule) =>
      formatValue(rule, raiseAt)
        ? t('raises', { value: formatValue(rule, raiseAt), time: length(forMs) })
        : t('raisesFor', { time: length(forMs) });
    const clearsAt = ({ rule, clearAt, clearMs }: AlertRule) =>
      formatValue(rule, clearAt)
        ? t('clears', { value: formatValue(rule, clearAt), time: length(clearMs) })
        : t('clearsFor', { time: length(clearMs) });
    return [
      {
        id: 'rule',
        header: t('column.rule'),
        sortBy: nameOf,
        cell: nameOf,
      },
      {
        id: 'raise',
        width: '24%',
        header: t('column.raise'),
        csv: raisesAt,
        cell: raisesAt,
      },
      {
        id: 'clear',
        width: '26%',
        header: t('column.clear'),
        csv: clearsAt,
        cell: clearsAt,
      },
      {
        id: 'state',
        // Fixed widths: a state or an alert that arrives moves no column.
        width: 'max(7.5rem, 16cqi)',
        header: t('column.state'),
        sortBy: ({ rule }) => active?.filter((alert) => alert.rule === rule).length,
        cell: ({ rule }) => <RuleState active={active?.filter((alert) => alert.rule === rule)} />,
      },
    ];
  }, [t, length, formatValue, active]);

  return (
    <Section
      title={t('rules')}
      lead={t('rulesLead')}
      actions={
        <CsvButton fileName="floodgate-alert-rules" label={t('rules')} columns={columns} rows={rules} />
      }
    >
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

/** Shows the state of a rule. `active` are its active alerts; `undefined` before the first event. */
function RuleState({ active }: { active: Alert[] | undefined }) {
  const t = useTranslations('opsAlerts.state');
  const targetName = useTargetName();
  if (!active) return <Badge>{t('unknown')}</Badge>;
  if (active.length === 0) return <Badge tone="good">{t('quiet')}</Badge>;
  const targets = active.map(({ target }) => targetName(target)).filter(Boolean);
  return (
    <Badge tone="fail">
      <span className={styles.targets}>
        {targets.length > 0 ? t('firingOn', { targets: targets.join(', ') }) : t('firing')}
      </span>
    </Badge>
  );
}

/** Returns the second of an instant as `ClockTime` shows it, so that the columns of a row agree. */
function wholeSeconds(at: number): number {
  return Math.floor(at / 1_000);
}

function HistorySection() {
  const t = useTranslations('opsAlerts');
  const { wait } = useDurations();
  const { title, formatValue } = useAlertText();
  const recent = useOpsFeed(({ event }) => event?.alerts.recent);

  const columns = useMemo(
    (): Column<Alert>[] => [
      { id: 'alert', header: t('column.alert'), sortBy: title, cell: title },
      {
        id: 'raised',
        width: '9.5rem',
        header: t('column.raised'),
        sortBy: ({ raisedAt }) => raisedAt,
        csv: ({ raisedAt }) => toCsvInstant(raisedAt),
        cell: ({ raisedAt }) => <ClockTime at={raisedAt} />,
      },
      {
        id: 'cleared',
        width: '9.5rem',
        header: t('column.cleared'),
        sortBy: ({ clearedAt }) => clearedAt,
        csv: ({ clearedAt }) => clearedAt && toCsvInstant(clearedAt),
        cell: ({ clearedAt }) => clearedAt && <ClockTime at={clearedAt} />,
      },
      {
        id: 'lasted',
        width: '8rem',
        header: t('column.lasted'),
        kind: 'number',
        sortBy: ({ raisedAt, clearedAt = raisedAt }) => clearedAt - raisedAt,
        cell: ({ raisedAt, clearedAt = raisedAt }) =>
          wait(Math.max(1, wholeSeconds(clearedAt) - wholeSeconds(raisedAt))),
      },
      {
        id: 'value',
        width: '8rem',
        header: t('column.value'),
        kind: 'number',
        csv: ({ rule, value }) => formatValue(rule, value),
        cell: ({ rule, value }) => formatValue(rule, value) || '–',
      },
    ],
    [t, title, formatValue, wait],
  );

  return (
    <Section
      title={t('history')}
      lead={t('historyLead')}
      actions={<CsvButton fileName="floodgate-alerts" label={t('history')} columns={columns} rows={recent} />}
    >
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
