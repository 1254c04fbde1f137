import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './health-warnings.module.css';

/** The checks of `/readyz` that the health strip does not show. Each shows only while it fails. */
const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

/** Shows the warnings about a Redis that answers. */
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
