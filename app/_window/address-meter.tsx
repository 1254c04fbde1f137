import { useTranslations } from 'next-intl';
import { Notice } from '../_components/ui/notice';
import { SlidingMeter } from './sliding-meter';
import { useOwnWindows } from './use-own-windows';

/** The window of all look-ups from the visitor's address. While its store is away the server goes on counting alone. */
export default function AddressMeter() {
  const t = useTranslations('windows');
  const { windows, isAway } = useOwnWindows();
  const window = windows.find(({ policy, level }) => policy === 'merchant' && level === 'ip');
  return (
    <>
      <SlidingMeter whose={t('yourAddress')} window={window} unknown={t('unknown')} isStale={isAway} />
      {isAway && <Notice tone="cut">{t('countedAlone')}</Notice>}
    </>
  );
}
