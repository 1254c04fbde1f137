import { useTranslations } from 'next-intl';
import { SlidingMeter } from './sliding-meter';
import { useOwnWindows } from './use-own-windows';

/** Shows the window that counts lookups from the visitor's address. While the store is down, each node counts its own. */
export function AddressMeter() {
  const t = useTranslations('windows');
  const { windows, isUnavailable } = useOwnWindows();
  const window = windows.find(({ policy, level }) => policy === 'merchant' && level === 'ip');
  return (
    <SlidingMeter
      whose={t('yourAddress')}
      window={window}
      unknown={t('unknown')}
      isStale={isUnavailable}
      isCountUnknown={isUnavailable}
      status={isUnavailable ? t('countedAlone') : undefined}
    />
  );
}
