import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { stopwatch } from '../_live/clock';
import type { LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import { useViewer } from '../_viewer/viewer-provider';
import { type PolicyRefusal, refusalKey } from './refusals';
import { waitAfter } from './window-wait';

/** Keeps the refusal of a policy in step with each reading of one of its windows. */
export function useRecordWait(window: LiveWindow | undefined): void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const { signOuts } = useViewer();

  useEffect(() => {
    if (!window) return;
    const key = refusalKey(window, signOuts);
    const latest = queryClient.getQueryData<PolicyRefusal>(key);
    const next = waitAfter(latest, window, { now: clock.now(), elapsed: stopwatch.now() });
    if (next !== latest) queryClient.setQueryData(key, next);
  }, [queryClient, clock, signOuts, window]);
}
