import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import { ClockTime } from '../clock-time';
import type { Alert } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './active-alerts.module.css';
import { useAlertText } from './use-alert-text';

const none: Alert[] = [];

/** Shows the active alerts, or that there are none. Needs the namespaces `opsAlerts` and `duration`. */
export function ActiveAlerts() {
  const t = useTranslations('opsAlerts');
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const alerts = useOpsFeed(({ event }) => event?.alerts.active ?? none);
  return (
    <div className={styles.alerts} role="status">
      {alerts.map((alert) => (
        <ActiveAlert key={alert.id} alert={alert} />
      ))}
      {alerts.length === 0 &&
        (isKnown ? <Notice tone="good">{t('none')}</Notice> : <Notice>{t('waiting')}</Notice>)}
    </div>
  );
}

function ActiveAlert({ alert }: { alert: Alert }) {
  const t = useTranslations('opsAlerts');
  const { title, formatValue } = useAlertText();
  const { rule, value, threshold, raisedAt } = alert;
  const measured = formatValue(rule, value);
  return (
    <Notice tone="refused">
      <strong>{title(alert)}</strong>
      {measured && ` ${t('measured', { value: measured, threshold: formatValue(rule, threshold) })}`}{' '}
      {t.rich('since', { at: () => <ClockTime at={raisedAt} /> })}
    </Notice>
  );
}
