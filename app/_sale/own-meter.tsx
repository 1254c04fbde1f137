import { useTranslations } from 'next-intl';
import { useViewer } from '../_viewer/viewer-provider';
import { meterId } from '../_windows/meter-id';
import { SlidingMeter } from '../_windows/sliding-meter';
import { useOwnWindows } from '../_windows/use-own-windows';
import { useOwnRefused } from './refusals';
import { useIsLit } from './use-is-lit';
import { useNotedBan } from './use-noted-ban';

const level = 'user';

/** The window of a policy that counts the visitor alone, from their own answers. */
export function OwnMeter({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { windows, isAway } = useOwnWindows();
  const window = windows.find(({ policy: name, level: counted }) => name === policy && counted === level);
  useNotedBan(window);
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('you')}
      window={window}
      refused={useOwnRefused(policy, level)}
      isStale={isAway && window !== undefined}
      isLit={useIsLit({ policy, level })}
      unknown={user ? t('unknown') : t('signedOut')}
      awaited={user !== null}
    />
  );
}
