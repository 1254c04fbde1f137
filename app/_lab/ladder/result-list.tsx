import { Ban, Check, TriangleAlert, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Badge, type BadgeTone } from '../../_components/ui/status';
import { useDurations } from '../../_i18n/use-durations';
import type { TapResult } from './ladder';
import styles from './punishment-ladder.module.css';

const tones = {
  admitted: 'good',
  refused: 'neutral',
  warned: 'wait',
  banned: 'fail',
} as const satisfies Record<TapResult['outcome'], BadgeTone>;

const icons = {
  admitted: Check,
  refused: X,
  warned: TriangleAlert,
  banned: Ban,
} as const;

/** One entry of a list of results: the outcome of a call, with its violation and its wait. */
export function ResultEntry({ result }: { result: TapResult }) {
  const t = useTranslations('labLadder');
  const { wait } = useDurations();
  const Icon = icons[result.outcome];
  return (
    <li className={styles.result}>
      <Badge tone={tones[result.outcome]}>
        <Icon size={14} aria-hidden="true" />
        {t(`outcome.${result.outcome}`)}
      </Badge>
      {result.outcome !== 'admitted' && (
        <span>
          {t('result', {
            violations: result.violations,
            time: wait(Math.ceil(result.retryAfterMs / 1_000)),
          })}
        </span>
      )}
    </li>
  );
}
