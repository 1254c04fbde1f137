import { useTranslations } from 'next-intl';
import { useLiveRefusals, useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { meterId } from './meter-id';
import { SlidingMeter } from './sliding-meter';
import { useIsHighlighted } from './use-is-highlighted';

const level = 'global';
/** A full window stays shown as full between two events of the feed (250 ms apart) and their delay. */
const HOLD_FULL_MS = 400;

/** Shows the global window of a policy from the live feed. */
export function SharedMeter({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('everyone')}
      window={useLiveWindow(policy, level)}
      refused={useLiveRefusals(policy, level)}
      isStale={useLiveStatus() === 'stale'}
      isHighlighted={useIsHighlighted({ policy, level })}
      holdFullMs={HOLD_FULL_MS}
      unknown={t('unknown')}
    />
  );
}
