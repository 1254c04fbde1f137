'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Badge } from '../_components/ui/badge';
import { Panel } from '../_components/ui/panel';
import { useLiveStatus } from '../_live/live-provider';
import { OwnMeter } from './own-meter';
import { SharedMeter } from './shared-meter';
import styles from './windows-panel.module.css';

const tones = { connecting: 'neutral', live: 'leaf', stale: 'sand' } as const;

interface Props {
  /** The calls that each group of windows counts, for engineers. */
  calls: { grabbing: ReactNode; claiming: ReactNode };
}

/** The windows that decide about a click on this page. */
export function WindowsPanel({ calls }: Props) {
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
          {calls.grabbing}
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          <OwnMeter policy="coupon.claim" />
          {calls.claiming}
        </section>
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </Panel>
  );
}
