import { useTranslations } from 'next-intl';
import { useViewer } from '../_shell/viewer-provider';
import { meterId } from './meter-id';
import { useOwnRefusals } from './refusals';
import { SlidingMeter } from './sliding-meter';
import { useIsHighlighted } from './use-is-highlighted';
import { useOwnWindows } from './use-own-windows';
import { useRecordBan } from './use-record-ban';

interface Props {
  policy: string;
  /** The level. Default: `user`. */
  level?: string;
  /** The input; required for a level keyed by input. */
  input?: object;
  /** The name on the meter. Default: "You" for `user`, "Your address" for `ip`, else the name of the level. */
  whose?: string;
}

/** Shows a window that counts the visitor, or an input, as `limit.mine` returns it. */
export function OwnMeter({ policy, level = 'user', input, whose }: Props) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { windows, isUnavailable } = useOwnWindows(input && { policy, input });
  const window = windows.find(({ policy: name, level: counted }) => name === policy && counted === level);
  useRecordBan(window);
  const isSignedOut = level === 'user' && user === null;

  function name(): string {
    if (level === 'user') return t('you');
    return level === 'ip' ? t('yourAddress') : level;
  }

  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={whose ?? name()}
      window={window}
      refused={useOwnRefusals(policy, level)}
      isStale={isUnavailable && window !== undefined}
      isHighlighted={useIsHighlighted({ policy, level })}
      unknown={isSignedOut ? t('signedOut') : t('unknown')}
      isLoading={!isSignedOut}
    />
  );
}
