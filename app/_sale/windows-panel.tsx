'use client';

import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';
import { Panel } from '../_components/ui/panel';
import { useLiveRefused, useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { useViewer } from '../_viewer/viewer-provider';
import { SlidingMeter } from '../_windows/sliding-meter';
import { useOwnWindows } from '../_windows/use-own-windows';
import styles from './windows-panel.module.css';

const tones = { connecting: 'neutral', live: 'leaf', stale: 'sand' } as const;

/** The windows that decide about a click on this page: everyone's from the feed, the visitor's from their own answers. */
export function WindowsPanel() {
  const t = useTranslations('windows');
  const status = useLiveStatus();
  const everyone = useLiveWindow('coupon.seckill', 'global');
  const refused = useLiveRefused('coupon.seckill', 'global');
  const mine = useOwnWindows();
  const { user } = useViewer();
  const own = (policy: string) => (
    <SlidingMeter
      whose={t('you')}
      window={mine.find((window) => window.policy === policy && window.level === 'user')}
      unknown={user ? t('unknown') : t('signedOut')}
      awaited={user !== null}
    />
  );

  return (
    <Panel>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('title')}</h2>
        <Badge tone={tones[status]}>{t(`status.${status}`)}</Badge>
      </div>
      <div className={styles.groups}>
        <section className={styles.group} aria-label={t('grabbing')}>
          <h3 className={styles.policy}>{t('grabbing')}</h3>
          {own('coupon.seckill')}
          <SlidingMeter
            whose={t('everyone')}
            window={everyone}
            unknown={t('unknown')}
            refused={refused}
            isStale={status === 'stale'}
          />
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          {own('coupon.claim')}
        </section>
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </Panel>
  );
}
