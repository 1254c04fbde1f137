import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { formatPercent } from '../../_i18n/format-decimal';
import { parseLevelKey } from '../../_live/level-key';
import { useLevelName, usePolicyName } from '../levels';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import styles from './fleet-pulse.module.css';
import { formatRate } from './format-rate';
import { findFullLevel, readPulse } from './read-pulse';
import { hasRedisErrors } from './redis-errors';
import { Sparkline } from './sparkline';
import { useSettledSecond } from './use-second';

const states = {
  quiet: undefined,
  busy: undefined,
  errors: styles.full,
  full: styles.full,
  flood: styles.flood,
} as const;

/**
 * Shows the traffic of the fleet in large figures. A full shared window, or errors of Redis, colour the border; a flood
 * colours the whole area.
 */
export function FleetPulse() {
  const t = useTranslations('opsNow.pulse');
  const tSpark = useTranslations('opsNow.spark');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const history = useOpsFeed((snapshot) => snapshot.history);
  const status = useOpsStatus();
  const isKnown = status === 'live';
  const to = useSettledSecond();
  const fullKey = useOpsFeed(({ event }) => event && findFullLevel(event.windows));
  const isErring = useOpsFeed(({ event }) => event !== undefined && hasRedisErrors(event));
  const { traffic, admittedPerSecond, refusedPerSecond, refusing, spark, peakPerSecond } = useMemo(
    () => readPulse(history, to),
    [history, to],
  );
  const state = stateOf();
  const share = refusedPerSecond / Math.max(1e-9, admittedPerSecond + refusedPerSecond);
  const refusedFigure = classNames(styles.figure, refusedPerSecond > 0 && styles.refused);
  const percent = formatPercent(share);

  const named = ({ policy, level }: { policy: string; level: string }) => ({
    policy: policyName(policy),
    level: levelName(level),
  });

  /** Failed calls have no outcome, so the rates do not show them. */
  function stateOf(): keyof typeof states {
    if (traffic === 'flood') return 'flood';
    if (isErring) return 'errors';
    return fullKey === undefined ? traffic : 'full';
  }

  function wordText(): string {
    if (isKnown) return t(`state.${state}`);
    return status === 'stale' ? t('state.unknown') : '–';
  }

  function hintText(): string {
    if (!isKnown) return '';
    if (state === 'errors') return t('hint.errors');
    if (traffic === 'flood' && refusing) return t('refusing', named(refusing));
    if (state !== 'full' || fullKey === undefined) return t(`hint.${traffic}`);
    return t('full', named(parseLevelKey(fullKey)));
  }

  return (
    <section className={classNames(styles.pulse, isKnown && states[state])} aria-label={t('title')}>
      <div role="status">
        <p className={styles.word}>{wordText()}</p>
        <p className={classNames(styles.hint, styles.reason)}>{hintText()}</p>
      </div>
      <dl className={styles.figures}>
        <div>
          <dt className={classNames(styles.hint, styles.admittedKey)}>{t('admitted')}</dt>
          <dd className={styles.figure}>
            {isKnown ? t('rate', { rate: formatRate(admittedPerSecond) }) : '–'}
          </dd>
        </div>
        <div>
          <dt className={classNames(styles.hint, styles.refusedKey)}>{t('refused')}</dt>
          <dd className={refusedFigure}>
            {isKnown ? t('rate', { rate: formatRate(refusedPerSecond) }) : '–'}
          </dd>
        </div>
        <div>
          <dt className={styles.hint}>{t('share')}</dt>
          <dd className={refusedFigure}>{isKnown ? percent : '–'}</dd>
        </div>
      </dl>
      <div className={styles.history}>
        <p className={styles.hint}>{tSpark('caption', { rate: formatRate(peakPerSecond) })}</p>
        <div className={styles.spark}>
          <Sparkline {...spark} peakPerSecond={peakPerSecond} />
        </div>
      </div>
    </section>
  );
}
