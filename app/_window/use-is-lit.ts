import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-countdown';
import { useStandingRefusal } from './refusals';

/** Whether this level is the one that keeps the visitor out now. */
export function useIsLit({ policy, level }: { policy: string; level: string }): boolean {
  const refusal = useStandingRefusal(policy);
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.againAt });
  return refusal?.level === level && leftSeconds > 0;
}
