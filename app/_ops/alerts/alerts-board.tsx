'use client';

import { useTranslations } from 'next-intl';
import type { Column } from '../../_components/ui/data-table';
import { Badge } from '../../_components/ui/status';
import { useDurations } from '../../_i18n/use-durations';
import { useLevelName } from '../levels';
import { useFormatLimit } from '../limits/limit-values';
import type { Alert, HistoryPoint, OpsEvent, OpsWindow } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { sumOf } from '../now/activity';
import { secondsFileColumn } from '../tables/csv-button';
import { instantColumn, TableSection } from '../tables/table-section';
import type { AlertRule } from '../types';
import { ActiveAlerts, isKnownRule, toUnit, useAlertText, useTargetName } from './active-alerts';
import { AlertCourse } from './alert-course';
import styles from './alerts.module.css';

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

/** The time over which the alert measures the refused share. */
const SHARE_MS = 30_000;

/** Names the level that refuses most calls of a policy, with its limit. The alert measures all levels of the policy. */
function RefusingLevel({ policy }: { policy: string }) {
  const t = useTranslations('opsAlerts');
  const levelName = useLevelName();
  const formatLimit = useFormatLimit();
  const window = useOpsFeed(({ event, history }) => event && findRefusing(policy, { event, history }));
  if (!window) return null;
  return t('refusedBy', { level: levelName(window.level), limit: formatLimit(window, window.algorithm) });
}

/** Returns the window of the level of `policy` with the most refusals in the last 30 s; `undefined` without refusals. */
export function findRefusing(
  policy: string,
  {
    event: { windows, serverNow },
    history,
  }: { event: Pick<OpsEvent, 'windows' | 'serverNow'>; history: readonly HistoryPoint[] },
): OpsWindow | undefined {
  const levels = history.filter(({ at }) => at > serverNow - SHARE_MS).flatMap((second) => second.levels);
  const refusedBy = ({ level }: OpsWindow) =>
    sumOf(
      levels
        .filter((one) => one.policy === policy && one.level === level)
        .map(({ refused, banned }) => refused + banned),
    );
  return windows
    .filter((window) => window.policy === policy && refusedBy(window) > 0)
    .toSorted((one, other) => refusedBy(other) - refusedBy(one))[0];
}

function RulesSection({ rules }: { rules: AlertRule[] }) {
  const t = useTranslations('opsAlerts');
  const { length } = useDurations();
  const { formatValue } = useAlertText();
  const active = useOpsFeed(({ event }) => event?.alerts.active);

  const nameOf = ({ rule }: AlertRule) => (isKnownRule(rule) ? t(`rule.${rule}`) : rule);
  const raisesAt = ({ rule, raiseAt, forMs }: AlertRule) =>
    formatValue(rule, raiseAt)
      ? t('raises', { value: formatValue(rule, raiseAt), time: length(forMs) })
      : t('raisesFor', { time: length(forMs) });
  const clearsAt = ({ rule, clearAt, clearMs }: AlertRule) =>
    formatValue(rule, clearAt)
      ? t('clears', { value: formatValue(rule, clearAt), time: length(clearMs) })
      : t('clearsFor', { time: length(clearMs) });
  const columns: Column<AlertRule>[] = [
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
      csv: [
        { header: t('column.raise'), read: ({ rule, raiseAt }) => toUnit(rule, raiseAt).value },
        { header: t('column.unit'), read: ({ rule, raiseAt }) => toUnit(rule, raiseAt).unit },
        secondsFileColumn(t('column.raiseAfter'), ({ forMs }) => forMs),
      ],
      cell: raisesAt,
    },
    {
      id: 'clear',
      width: '26%',
      header: t('column.clear'),
      csv: [
        { header: t('column.clearBelow'), read: ({ rule, clearAt }) => toUnit(rule, clearAt).value },
        secondsFileColumn(t('column.clearAfter'), ({ clearMs }) => clearMs),
      ],
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

  return (
    <TableSection
      title={t('rules')}
      lead={t('rulesLead')}
      fileName="floodgate-alert-rules"
      columns={columns}
      rows={rules}
      rowId={({ rule }) => rule}
      empty={t('noRules')}
    />
  );
}

/** Shows the state of a rule. `active` are its active alerts; `undefined` before the first event. */
function RuleState({ active }: { active: Alert[] | undefined }) {
  const t = useTranslations('opsAlerts.state');
  const targetName = useTargetName();
  if (!active) return <Badge>{t('unknown')}</Badge>;
  if (active.length === 0) return <Badge tone="good">{t('quiet')}</Badge>;
  const targets = active.map(({ target }) => targetName(target)).filter(Boolean);
  const isClearing = active.every(({ normalSince }) => normalSince !== undefined);
  const state = isClearing ? 'clearing' : 'firing';
  return (
    <Badge tone={isClearing ? 'wait' : 'fail'}>
      <span className={styles.targets}>
        {targets.length > 0 ? t(`${state}On`, { targets: targets.join(', ') }) : t(state)}
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

  /** Names what it was at its worst. */
  const titleOf = (alert: Alert) =>
    title({ ...alert, normalSince: undefined, value: Math.max(...alert.values) });
  const secondsOf = ({ raisedAt, clearedAt = raisedAt }: Alert) =>
    Math.max(1, wholeSeconds(clearedAt) - wholeSeconds(raisedAt));
  const columns: Column<Alert>[] = [
    { id: 'alert', header: t('column.alert'), sortBy: titleOf, cell: titleOf },
    instantColumn({ id: 'raised', width: '9.5rem', header: t('column.raised') }, ({ raisedAt }) => raisedAt),
    instantColumn(
      { id: 'cleared', width: '9.5rem', header: t('column.cleared') },
      ({ clearedAt }) => clearedAt,
    ),
    {
      id: 'lasted',
      width: '8rem',
      header: t('column.lasted'),
      kind: 'number',
      sortBy: secondsOf,
      csv: [secondsFileColumn(t('column.lasted'), (alert) => 1_000 * secondsOf(alert))],
      cell: (alert) => wait(secondsOf(alert)),
    },
    {
      id: 'value',
      width: '15rem',
      header: t('column.value'),
      card: 'line',
      csv: [
        { header: t('column.most'), read: ({ rule, values }) => toUnit(rule, Math.max(...values)).value },
        { header: t('column.threshold'), read: ({ rule, threshold }) => toUnit(rule, threshold).value },
        { header: t('column.unit'), read: ({ rule, threshold }) => toUnit(rule, threshold).unit },
      ],
      cell: (alert) => <AlertCourse {...{ alert, formatValue }} />,
    },
  ];

  return (
    <TableSection
      title={t('history')}
      lead={t('historyLead')}
      fileName="floodgate-alerts"
      columns={columns}
      rows={recent}
      rowId={({ id }) => id}
      empty={t('noHistory')}
      initialOrder={{ id: 'raised', direction: 'desc' }}
    />
  );
}
