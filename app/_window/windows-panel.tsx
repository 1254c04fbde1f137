'use client';

import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { useLiveStatus } from '../_live/live-provider';
import type { Coupon } from '../_trpc/types';
import { FeedBadge } from './feed-badge';
import how from './how-counting.module.css';
import { OwnMeter, SharedMeter } from './level-meters';
import { LiveLimits } from './live-limits';
import { useEnforcedLevels } from './use-enforced-levels';
import { useLiveOwnWindows } from './use-own-windows';
import { isAlgorithm } from './window-count';
import styles from './windows-panel.module.css';

interface Props {
  /** The limits when the server rendered the page. */
  limits: Record<Coupon['kind'], readonly PolicyLevel[]>;
}

/** Shows the windows that decide clicks on this page, with their exact limits. In a demo, the dock adds their calls. */
export function WindowsPanel({ limits }: Props) {
  const t = useTranslations('windows');
  const status = useLiveStatus();
  const own = useLiveOwnWindows();

  return (
    <Panel>
      <div className={styles.head}>
        <h2 className={layout.title}>{t('title')}</h2>
        <span className={styles.live}>
          <FeedBadge status={status} />
        </span>
      </div>
      <div className={styles.groups}>
        <section className={styles.group} aria-label={t('grabbing')}>
          <h3 className={styles.policy}>{t('grabbing')}</h3>
          <OwnMeter policy="coupon.seckill" own={own} />
          <SharedMeter policy="coupon.seckill" own={own} />
          <WithoutScripts kind="seckill" rendered={limits.seckill} />
          <ExactRule kind="seckill" rendered={limits.seckill} />
        </section>
        <section className={styles.group} aria-label={t('claiming')}>
          <h3 className={styles.policy}>{t('claiming')}</h3>
          <OwnMeter policy="coupon.claim" own={own} />
          <WithoutScripts kind="claim" rendered={limits.claim} />
          <ExactRule kind="claim" rendered={limits.claim} />
        </section>
      </div>
    </Panel>
  );
}

/** The limits of grabbing or claiming in words, in place of the meters, which need scripts. */
function WithoutScripts(props: RuleProps) {
  return (
    <noscript>
      <p>
        <LiveLimits {...props} />
      </p>
    </noscript>
  );
}

interface RuleProps {
  kind: Coupon['kind'];
  /** The limits when the server rendered the page. */
  rendered: readonly PolicyLevel[];
}

/** An expandable text with the exact limits of grabbing or claiming, and how each of their algorithms counts. */
function ExactRule({ kind, rendered }: RuleProps) {
  const t = useTranslations('counting');
  const levels = useEnforcedLevels(`coupon.${kind}`, rendered);
  const algorithms = new Set(levels.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return (
    <details className={how.how}>
      <summary>{t('title')}</summary>
      <p>
        <LiveLimits kind={kind} rendered={rendered} />
      </p>
      {[...algorithms].map((algorithm) => (
        <p key={algorithm}>{t(`text.${algorithm}`)}</p>
      ))}
    </details>
  );
}
