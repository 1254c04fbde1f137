import { useTranslations } from 'next-intl';
import { Notice } from '../_components/ui/notice';
import { useDurations } from '../_i18n/use-durations';
import { useFormats } from '../_i18n/use-formats';
import type { TapTally } from './use-taps';

/** Summarises a burst of clicks in one sentence. */
export function TapsNote({ total, admitted, refused, failed, bought, levels }: TapTally) {
  const t = useTranslations('taps');
  const { list } = useFormats();
  const { length } = useDurations();

  const formatLevel = ({ level, limit, windowMs }: TapTally['levels'][number]) =>
    level === 'user' || level === 'global' ? t(level, { limit, window: length(windowMs) }) : level;
  return (
    <Notice tone={refused > 0 || failed > 0 ? 'warning' : 'good'}>
      {t('result', {
        total,
        admitted,
        refused,
        failed,
        bought: bought ? 'yes' : 'no',
        rules: list(levels.map(formatLevel)),
      })}
    </Notice>
  );
}
