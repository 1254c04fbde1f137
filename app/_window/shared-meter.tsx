import { useTranslations } from 'next-intl';
import { useLiveRefused, useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { meterId } from './meter-id';
import { SlidingMeter } from './sliding-meter';
import { useIsLit } from './use-is-lit';

const level = 'global';
/** The feed speaks four times a second, and takes a moment to arrive. */
const staysFullMs = 400;

/** The window of a policy that counts everybody, from the live feed. */
export function SharedMeter({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('everyone')}
      window={useLiveWindow(policy, level)}
      refused={useLiveRefused(policy, level)}
      isStale={useLiveStatus() === 'stale'}
      isLit={useIsLit({ policy, level })}
      staysFullMs={staysFullMs}
      unknown={t('unknown')}
    />
  );
}
