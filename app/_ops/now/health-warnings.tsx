import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './health-warnings.module.css';

/** Checks of `/readyz` that no health number shows: each appears while it fails. */
const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

/** What is wrong with Redis while it answers. */
export function HealthWarnings() {
  const t = useTranslations('opsNow.health.warning');
  const health = useOpsFeed(({ event }) => event?.health);
  return (
    <div role="status" className={styles.warnings}>
      {warnings.map((name) => {
        const found = health?.[name];
        return (
          found?.ok === false && (
            <Notice key={name} tone="warning">
              {t(name)}{' '}
              <code className={styles.detail} lang="en">
                {found.detail}
              </code>
            </Notice>
          )
        );
      })}
    </div>
  );
}
