'use client';

import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { useLiveStatus } from '../_live/live-provider';
import type { Coupon } from '../_trpc/types';
import { FeedBadge } from './feed-badge';
import { OwnMeter, SharedMeter } from './level-meters';
import { ExactRule, LiveLimits } from './live-limits';
import { ReloadOwnWindows } from './own-windows';
import styles from './window.module.css';

interface Props {
  /** The meters take one line each. */
  isSlim: boolean;
  /** The limits when the server rendered the page. */
  limits: Record<Coupon['kind'], readonly PolicyLevel[]>;
}

const groups = [
  { kind: 'seckill', name: 'grabbing' },
  { kind: 'claim', name: 'claiming' },
] as const;

/** Shows the windows that decide clicks on this page, with their exact limits. */
export function WindowsPanel({ isSlim, limits }: Props) {
  const t = useTranslations('windows');
  const status = useLiveStatus();

  return (
    <Panel>
      <ReloadOwnWindows />
      <div className={classNames(layout.line2, layout.apart)}>
        <h2 className={layout.title}>{t('title')}</h2>
        <span className={styles.live}>
          <FeedBadge status={status} />
        </span>
      </div>
      <div className={classNames(styles.groups, isSlim && styles.slim)}>
        {groups.map(({ kind, name }) => (
          <section
            key={kind}
            className={classNames(layout.stack5, layout.top, styles.group)}
            aria-label={t(name)}
          >
            <h3 className={classNames(layout.hint, layout.strong)}>{t(name)}</h3>
            <OwnMeter policy={`coupon.${kind}`} />
            {kind === 'seckill' && <SharedMeter policy="coupon.seckill" />}
            {/* In place of the meters, which need scripts. */}
            <noscript>
              <p>
                <LiveLimits kind={kind} rendered={limits[kind]} />
              </p>
            </noscript>
            <ExactRule kind={kind} rendered={limits[kind]} />
          </section>
        ))}
      </div>
    </Panel>
  );
}
