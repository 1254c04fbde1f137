import { useTranslations } from 'next-intl';
import { useViewer } from '../_shell/viewer-provider';
import { meterId } from './meter-id';
import { useOwnRefused } from './refusals';
import { SlidingMeter } from './sliding-meter';
import { useIsLit } from './use-is-lit';
import { useNotedBan } from './use-noted-ban';
import { useOwnWindows } from './use-own-windows';

interface Props {
  policy: string;
  /** Which of the policy's windows. Default: `user`. */
  level?: string;
  /** Required for a level keyed by input: the input whose window is shown. */
  input?: object;
  /** The name on the meter. Default: "You" for `user`, "Your address" for `ip`, else the name of the level. */
  whose?: string;
}

/** A window of a policy that counts the visitor, or an input of theirs, as `limit.mine` returns it. */
export function OwnMeter({ policy, level = 'user', input, whose }: Props) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { windows, isAway } = useOwnWindows(input && { policy, input });
  const window = windows.find(({ policy: name, level: counted }) => name === policy && counted === level);
  useNotedBan(window);
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
      refused={useOwnRefused(policy, level)}
      isStale={isAway && window !== undefined}
      isLit={useIsLit({ policy, level })}
      unknown={isSignedOut ? t('signedOut') : t('unknown')}
      awaited={!isSignedOut}
    />
  );
}
