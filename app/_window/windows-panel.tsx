'use client';

import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { Badge } from '../_components/ui/badge';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/panel';
import { useLiveStatus } from '../_live/live-windows';
import { CurlDetails } from '../_shell/curl-details';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';
import { ExactRule } from './exact-rule';
import { HowCounting } from './how-counting';
import { OwnMeter, SharedMeter } from './level-meters';
import styles from './windows-panel.module.css';

const tones = { connecting: 'neutral', live: 'good', stale: 'wait' } as const;

interface Props {
  /** One coupon of each kind, for the curl commands. */
  seckill: Pick<Coupon, 'id' | 'kind'> | undefined;
  claim: Pick<Coupon, 'id' | 'kind'> | undefined;
  /** The limits when the server rendered the page. */
  limits: Record<Coupon['kind'], readonly PolicyLevel[]>;
}

/** Shows the windows that decide clicks on this page. In a demo, the dock explains them. */
export default function WindowsPanel({ seckill, claim, limits }: Props) {
  const t = useTranslations('windows');
  const { demo } = useViewer();
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
          <ExactRule kind="seckill" rendered={limits.seckill} />
          {!demo && seckill && <PurchaseCall {...seckill} />}
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          <OwnMeter policy="coupon.claim" />
          <ExactRule kind="claim" rendered={limits.claim} />
          {!demo && claim && <PurchaseCall {...claim} />}
        </section>
      </div>
      {!demo && <HowCounting />}
    </Panel>
  );
}

/** Shows the call that a group of windows counts, for engineers. */
function PurchaseCall({ id, kind }: Pick<Coupon, 'id' | 'kind'>) {
  const path = `coupon.${kind}`;
  return <CurlDetails call={{ type: 'mutation', path, input: { couponId: id }, signedIn: true }} />;
}
