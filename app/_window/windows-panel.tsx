'use client';

import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/panel';
import { useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { CurlDetails } from '../_shell/curl-details';
import type { Coupon, WindowState } from '../_trpc/types';
import { OwnMeter, SharedMeter } from './level-meters';
import { useOwnWindows } from './use-own-windows';
import { isAlgorithm } from './window-count';
import styles from './windows-panel.module.css';

const tones = { connecting: 'neutral', live: 'good', stale: 'wait' } as const;

interface Props {
  /** One coupon of each kind, for the curl commands. */
  seckill: Pick<Coupon, 'id' | 'kind'> | undefined;
  claim: Pick<Coupon, 'id' | 'kind'> | undefined;
}

/** Shows the windows that decide clicks on this page. */
export default function WindowsPanel({ seckill, claim }: Props) {
  const t = useTranslations('windows');
  const status = useLiveStatus();

  return (
    <Panel>
      <div className={styles.head}>
        <h2 className={layout.title}>{t('title')}</h2>
        <Badge tone={tones[status]}>{t(`status.${status}`)}</Badge>
      </div>
      <div className={styles.groups}>
        <section className={styles.group} aria-label={t('grabbing')}>
          <h3 className={styles.policy}>{t('grabbing')}</h3>
          <OwnMeter policy="coupon.seckill" />
          <SharedMeter policy="coupon.seckill" />
          {seckill && <PurchaseCall {...seckill} />}
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          <OwnMeter policy="coupon.claim" />
          {claim && <PurchaseCall {...claim} />}
        </section>
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        {useAlgorithms().map((algorithm) => (
          <p key={algorithm}>{t(`howText.${algorithm}`)}</p>
        ))}
      </details>
    </Panel>
  );
}

type Algorithm = WindowState['algorithm'];

/** Returns the distinct algorithms of the windows on this page; `sliding-log` until known. */
function useAlgorithms(): Algorithm[] {
  const shared = useLiveWindow('coupon.seckill', 'global');
  const { windows } = useOwnWindows();
  const own = windows.filter(({ policy }) => policy === 'coupon.seckill' || policy === 'coupon.claim');
  const shown = shared ? [shared, ...own] : own;
  const found = new Set(shown.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return found.size === 0 ? ['sliding-log'] : [...found];
}

/** Shows the call that a group of windows counts, for engineers. */
function PurchaseCall({ id, kind }: Pick<Coupon, 'id' | 'kind'>) {
  const path = `coupon.${kind}`;
  return <CurlDetails call={{ type: 'mutation', path, input: { couponId: id }, signedIn: true }} />;
}
