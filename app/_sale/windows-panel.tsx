'use client';

import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';
import { Panel } from '../_components/ui/panel';
import { useLiveStatus } from '../_live/live-provider';
import { OwnMeter } from './own-meter';
import { SharedMeter } from './shared-meter';
import styles from './windows-panel.module.css';

const tones = { connecting: 'neutral', live: 'leaf', stale: 'sand' } as const;

/** The windows that decide about a click on this page. */
export function WindowsPanel() {
  const t = useTranslations('windows');
  const status = useLiveStatus();

  return (
    <Panel>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('title')}</h2>
        <Badge tone={tones[status]}>{t(`status.${status}`)}</Badge>
      </div>
      <div className={styles.groups}>
        <section className={styles.group} aria-label={t('grabbing')}>
          <h3 className={styles.policy}>{t('grabbing')}</h3>
          <OwnMeter policy="coupon.seckill" />
          <SharedMeter policy="coupon.seckill" />
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          <OwnMeter policy="coupon.claim" />
        </section>
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </Panel>
  );
}
