'use client';

import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { useLiveLevels, useLiveWindow } from '../_live/live-provider';
import type { Coupon } from '../_trpc/types';
import { formatClaimLimit, formatSaleLimits } from './format-limits';
import { useOwnWindows } from './own-windows';
import styles from './window.module.css';
import { isAlgorithm } from './window-count';

interface Props {
  kind: Coupon['kind'];
  /** The limits when the server rendered the page, shown before the first event. Default: none. */
  rendered?: readonly PolicyLevel[];
}

/** Describes the present limits of grabbing or claiming, as the live feed has them, in a sentence. */
export function LiveLimits({ kind, rendered }: Props) {
  const translators = { limits: useTranslations('limits'), duration: useTranslations('duration') };
  const format = { seckill: formatSaleLimits, claim: formatClaimLimit }[kind];
  return format(translators, useEnforcedLevels(`coupon.${kind}`, rendered));
}

/** Shows the limits as the server wrote them in `children`, then as the live feed has them. */
export function LiveLead({ kind, children }: Pick<Props, 'kind'> & { children: ReactNode }) {
  if (useLiveLevels().length === 0) return children;
  return <LiveLimits kind={kind} />;
}

/** An expandable text with the exact limits of grabbing or claiming, and how each of their algorithms counts. */
export function ExactRule({ kind, rendered }: Props) {
  const levels = useEnforcedLevels(`coupon.${kind}`, rendered);
  return (
    <HowTheyCount windows={levels}>
      <p>
        <LiveLimits kind={kind} rendered={rendered} />
      </p>
    </HowTheyCount>
  );
}

/** Explains how the windows of the sale count, one paragraph per algorithm. */
export function HowCounting() {
  const shared = useLiveWindow('coupon.seckill', 'global');
  const own = useOwnWindows().windows.filter(
    ({ policy }) => policy === 'coupon.seckill' || policy === 'coupon.claim',
  );
  const shown = shared ? [shared, ...own] : own;
  return <HowTheyCount windows={shown.length === 0 ? [{ algorithm: 'sliding-log' }] : shown} />;
}

interface HowProps {
  windows: readonly { algorithm?: string }[];
  children?: ReactNode;
}

function HowTheyCount({ windows, children }: HowProps) {
  const t = useTranslations('counting');
  const algorithms = new Set(windows.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return (
    <details className={classNames(layout.hint, styles.rule)}>
      <summary>{t('title')}</summary>
      {children}
      {[...algorithms].map((algorithm) => (
        <p key={algorithm}>{t(`text.${algorithm}`)}</p>
      ))}
    </details>
  );
}

const noLevels: readonly never[] = [];

/**
 * Returns the levels of a policy that refuse calls now, with the limits of the live feed, or of this visitor alone; those of
 * `rendered` before the first event.
 */
function useEnforcedLevels(
  policy: string,
  rendered: readonly PolicyLevel[] = noLevels,
): readonly PolicyLevel[] {
  const levels = useLiveLevels();
  const { windows } = useOwnWindows();
  return useMemo(() => {
    if (levels.length === 0) return rendered;
    return levels
      .filter((level) => level.policy === policy)
      .map((level) => {
        const own = windows.find((one) => one.policy === policy && one.level === level.level);
        if (!own?.personal) return level;
        return { ...level, limit: own.limit, windowMs: own.windowMs, mode: own.mode, isPersonal: true };
      })
      .filter(({ mode }) => mode === 'enforce' || mode === 'block');
  }, [levels, policy, windows, rendered]);
}
