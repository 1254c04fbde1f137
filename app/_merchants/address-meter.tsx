import { useTranslations } from 'next-intl';
import { SlidingMeter } from '../_windows/sliding-meter';
import { useOwnWindows } from '../_windows/use-own-windows';

/** The window of all look-ups from the visitor's address. */
export default function AddressMeter() {
  const t = useTranslations('windows');
  const window = useOwnWindows().find(({ policy, level }) => policy === 'merchant' && level === 'ip');
  return <SlidingMeter whose={t('yourAddress')} window={window} unknown={t('unknown')} />;
}
