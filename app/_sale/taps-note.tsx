import { useFormatter, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Notice } from '../_components/ui/notice';
import { useDurations } from '../_i18n/use-durations';
import type { TapTally } from './tap-tally';

/** Summarises many clicks in one sentence. */
export default function TapsNote({ tally, children }: { tally: TapTally; children: ReactNode }) {
  const t = useTranslations('taps');
  const { list } = useFormatter();
  const { length } = useDurations();
  const { total, admitted, refused, failed, bought, rules } = tally;

  const rule = ({ level, limit, windowMs }: TapTally['rules'][number]) =>
    level === 'user' || level === 'global' ? t(level, { limit, window: length(windowMs) }) : level;
  return (
    <Notice tone={refused > 0 ? 'refused' : failed > 0 ? 'warning' : 'good'}>
      {t('result', {
        ...{ total, admitted, refused, failed, bought: bought ? 'yes' : 'no' },
        rules: list(rules.map(rule), { type: 'conjunction' }),
      })}
      {children}
    </Notice>
  );
}
