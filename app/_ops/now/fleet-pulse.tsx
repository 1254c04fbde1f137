import { useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { sentenceGap } from '../../_i18n/language';
import { parseLevelKey } from '../../_live/level-key';
import { formatPercent, formatRate } from '../formats';
import { needsOperator, useOutageText } from '../health';
import { useLevelName, usePolicyName } from '../levels';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { RATE_MS, useSettledSecond } from './activity';
import styles from './now.module.css';
import {
  findFullLevel,
  type Headline,
  hasRecentHits,
  hasRecentRefusals,
  LATELY_MS,
  readAdmitted,
  readHeadline,
  readPulse,
} from './pulse';
import { Sparkline } from './sparkline';

const states = {
  quiet: undefined,
  starting: undefined,
  resuming: undefined,
  refusalsBegin: undefined,
  few: undefined,
  busy: undefined,
  refusing: styles.full,
  errors: styles.full,
  redisSlow: styles.full,
  postgresSlow: styles.full,
  full: styles.full,
  flood: styles.flood,
  redisFailing: styles.storesFailing,
  postgresFailing: styles.storesFailing,
  storesFailing: styles.storesFailing,
} as const satisfies Record<Headline, string | undefined>;

/**
 * Shows the traffic of the fleet in large figures. A failing store, errors of Redis, many refusals or a full shared window
 * colour the border; a flood colours the whole area.
 */
export function FleetPulse({ policies }: { policies: Policy[] }) {
  const t = useTranslations('opsNow.pulse');
  const tSpark = useTranslations('opsNow.spark');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const gap = sentenceGap(useLocale());
  const outageText = useOutageText(policies);
  const history = useOpsFeed((snapshot) => snapshot.history);
  const stream = useOpsFeed(({ status }) => status);
  const event = useOpsFeed((snapshot) => snapshot.event);
  const isRefusing = useRecentRefusals(RATE_MS);
  // The rates follow the calls within three seconds.
  const isRefusingNow = useRecentRefusals(2 * LATELY_MS);
  const isKnown = useOpsStatus() === 'live';
  const to = useSettledSecond();
  const fullKey = event && findFullLevel(event.windows);
  const pulse = useMemo(() => readPulse(history, to), [history, to]);
  const { traffic, admittedPerSecond, refusedPerSecond, refusedShare, refusing, spark, peakPerSecond } =
    pulse;
  const hadCalls = peakPerSecond > 0;
  const headline =
    event && stream === 'live'
      ? readHeadline({ event, traffic, refusedShare, fullKey, isRefusing, hadCalls })
      : undefined;
  const isQuiet = traffic === 'quiet' && !isRefusing && !(event && hasRecentHits(event));
  const refusedFigure = classNames(styles.figure, refusedPerSecond > 0 && styles.refusedFigure);

  const named = ({ policy, level }: { policy: string; level: string }) => ({
    policy: policyName(policy),
    level: levelName(level),
  });

  function wordText(): string {
    if (headline) return t(`state.${headline}`);
    return stream === 'stale' ? t('state.unknown') : '–';
  }

  function hintText(): string {
    switch (headline) {
      case undefined:
        return '';
      case 'redisFailing':
      case 'storesFailing':
        return event?.stale ? outageText() + gap + t('hint.lastKnown') : outageText();
      case 'flood':
      case 'refusing':
        return refusing ? refusedText(refusing) : '';
      case 'full':
        return fullKey === undefined ? '' : t(isQuiet ? 'fullQuiet' : 'full', named(parseLevelKey(fullKey)));
      case 'busy':
        return t(`hint.${refusedPerSecond > 0 ? readAdmitted(refusedShare) : 'allAdmitted'}`);
      case 'resuming':
      case 'refusalsBegin':
        return t('hint.starting');
      default:
        return t(`hint.${headline}`);
    }
  }

  /**
   * Names the level that refuses most, and says if it no longer does. Without an alert and a failing check, says that a flood
   * needs no action.
   */
  function refusedText(level: { policy: string; level: string }): string {
    const text = t('refusing', named(level));
    if (!pulse.hasRefusedLately && !isRefusingNow) return text + gap + t('noneLately');
    return headline === 'flood' && event && !needsOperator(event) ? text + gap + t('working') : text;
  }

  return (
    <section className={classNames(styles.pulse, headline && states[headline])} aria-label={t('title')}>
      <div role="status">
        <p className={styles.word}>{wordText()}</p>
        <p className={classNames(styles.pulseHint, styles.reason)}>{hintText()}</p>
      </div>
      <dl className={styles.figures}>
        <div>
          <dt className={classNames(styles.pulseHint, styles.admittedKey)}>{t('admitted')}</dt>
          <dd className={styles.figure}>
            {isKnown ? t('rate', { rate: formatRate(admittedPerSecond) }) : '–'}
          </dd>
        </div>
        <div>
          <dt className={classNames(styles.pulseHint, styles.refusedKey)}>{t('refused')}</dt>
          <dd className={refusedFigure}>
            {isKnown ? t('rate', { rate: formatRate(refusedPerSecond) }) : '–'}
          </dd>
        </div>
        <div>
          <dt className={styles.pulseHint}>{t('share')}</dt>
          <dd className={refusedFigure}>{isKnown ? formatPercent(refusedShare) : '–'}</dd>
        </div>
      </dl>
      <div className={styles.history}>
        <p className={styles.pulseHint}>{tSpark('caption', { rate: formatRate(peakPerSecond) })}</p>
        <div className={styles.pulseSpark}>
          <Sparkline {...spark} peakPerSecond={peakPerSecond} />
        </div>
      </div>
    </section>
  );
}

/** Returns true if the page has seen a refusal in the last `withinMs`. */
function useRecentRefusals(withinMs: number): boolean {
  return useOpsFeed(
    ({ event, refused }) =>
      event !== undefined && hasRecentRefusals(refused, { serverNow: event.serverNow, withinMs }),
  );
}
