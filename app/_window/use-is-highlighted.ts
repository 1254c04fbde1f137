import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { useActiveRefusal } from './refusals';

/** Returns true while this level refuses the visitor. */
export function useIsHighlighted({ policy, level }: { policy: string; level: string }): boolean {
  const refusal = useActiveRefusal(policy);
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.againAt });
  return refusal?.level === level && leftSeconds > 0;
}
