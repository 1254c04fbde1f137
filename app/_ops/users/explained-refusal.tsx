import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { Badge, type BadgeTone } from '../../_components/ui/badge';
import { Notice } from '../../_components/ui/notice';
import { useDurations } from '../../_i18n/use-durations';
import { useServerClock } from '../../_live/live-provider';
import { SlidingMeter } from '../../_window/sliding-meter';
import { ClockTime } from '../clock-time';
import { useLevelName } from '../levels';
import type { Explanation } from '../types';
import styles from './explained-refusal.module.css';

interface Props {
  subject: string;
  explanation: Explanation;
}

/** Shows the window, the reason in a sentence, and the recent calls. */
export function ExplainedRefusal({ subject, explanation }: Props) {
  const t = useTranslations('opsUsers.explain');
  const { length } = useDurations();
  const clock = useServerClock();
  const { window, nextSlotAt, punished, serverNow } = explanation;
  const { limit, windowMs } = window;

  useEffect(() => clock.observe(serverNow), [clock, serverNow]);

  return (
    <>
      <SlidingMeter whose={subject} window={{ ...window, readAt: serverNow }} unknown={t('waiting')} />
      <p>
        {punished?.bannedUntil
          ? t.rich('banned', { at: () => <ClockTime at={punished.bannedUntil ?? serverNow} /> })
          : nextSlotAt === null
            ? t('free', { limit, window: length(windowMs) })
            : t.rich('full', { limit, window: length(windowMs), at: () => <ClockTime at={nextSlotAt} /> })}
      </p>
      {punished && (
        <Notice tone={punished.warning ? 'warning' : 'plain'}>
          {t('violations', { count: punished.violations })}
        </Notice>
      )}
      <RecentCalls recent={explanation.recent} />
    </>
  );
}

type Call = Explanation['recent'][number];

const tones = {
  admitted: 'leaf',
  replayed: 'leaf',
  refused: 'ember',
  banned: 'ember',
  degraded: 'sand',
  unavailable: 'sand',
} as const satisfies Record<Call['outcome'], BadgeTone>;

function RecentCalls({ recent }: { recent: Call[] }) {
  const t = useTranslations('opsUsers.explain');
  const levelName = useLevelName();
  if (recent.length === 0) return <p className={styles.none}>{t('noCalls')}</p>;
  return (
    <div>
      <h3 className={styles.title}>{t('recent', { count: recent.length })}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must scroll by keyboard, too */}
      <ol className={styles.calls} tabIndex={0} aria-label={t('recent', { count: recent.length })}>
        {recent.map(({ at, outcome, refusedBy }, index) => (
          <li key={keyOf(recent, index)} className={styles.call}>
            <ClockTime at={at} />
            <Badge tone={tones[outcome]}>{t(`outcome.${outcome}`)}</Badge>
            <span className={styles.by}>{refusedBy && t('by', { level: levelName(refusedBy) })}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/**
 * Returns a key that stays stable while newer calls arrive: the instant, and the number of later calls with the same
 * instant.
 */
function keyOf(recent: readonly Call[], index: number): string {
  const at = recent[index]?.at;
  return `${at}/${recent.findLastIndex((call) => call.at === at) - index}`;
}
