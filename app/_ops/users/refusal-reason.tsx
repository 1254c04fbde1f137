import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import { countingOf } from '../../_window/window-count';
import { ClockTime } from '../clock-time';
import { useLevelName } from '../levels';
import type { Explanation } from '../types';

interface Props {
  window: Pick<Explanation['window'], 'level' | 'limit' | 'windowMs' | 'algorithm' | 'mode'>;
  /** The last refusal by this window, epoch ms. */
  at: number | null | undefined;
  /** Another level counts the caller. */
  isElsewhere?: boolean;
}

/** States when a window refused, and why. */
export function RefusalReason({ window, at, isElsewhere }: Props) {
  const t = useTranslations('opsUsers.explain');
  const { length } = useDurations();
  const level = useLevelName()(window.level);
  if (window.mode === 'block') return <p>{t('held', { level })}</p>;
  const rule = {
    ...{ level, limit: window.limit, window: length(window.windowMs) },
    counting: countingOf(window),
  };
  const name = isElsewhere ? 'elsewhere' : 'refused';
  return <p>{at ? t.rich(`${name}At`, { ...rule, at: () => <ClockTime at={at} /> }) : t(name, rule)}</p>;
}
