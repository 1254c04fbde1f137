import { useFormatter, useTranslations } from 'next-intl';
import { Notice } from '../_components/ui/status';
import { usePeriod } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { Why } from '../_sale/why';
import { usePolicyRefusal } from '../_window/refusals';
import type { TapTally } from './use-taps';

/** Summarises a burst of clicks in one sentence. */
export function TapsNote({ total, admitted, refused, failed, bought, levels }: TapTally) {
  const t = useTranslations('taps');
  const { list } = useFormatter();
  const formatPeriod = usePeriod();

  const formatLevel = ({ level, limit, windowMs }: TapTally['levels'][number]) =>
    level === 'user' || level === 'global' ? t(level, { limit, window: formatPeriod(windowMs) }) : level;
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
      {refused > 0 && <WhyRefused />}
    </Notice>
  );
}

/** Explains the refusal of the burst, which stays readable when its wait has ended. */
function WhyRefused() {
  const refusal = usePolicyRefusal('coupon.seckill');
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  if (!refusal || refusal.isBlocked || refusal.bannedUntil !== undefined) return null;
  return <Why refusal={refusal} isOver={leftSeconds === 0} />;
}
