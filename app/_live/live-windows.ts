import { levelKey } from './level-key';
import type { LiveQueue, LiveWindow } from './live-feed';
import { useSnapshot } from './live-provider';
import { type LiveSnapshot, noMarks, type RefusalMark } from './live-snapshot';

/** Returns a global window, or `undefined` before the first event. */
export function useLiveWindow(policy: string, level: string): LiveWindow | undefined {
  return useSnapshot(({ event }) =>
    event?.windows.find((window) => window.policy === policy && window.level === level),
  );
}

/** Returns the queue of a policy, or `undefined` before the first event. Its readers render with each change. */
export function useLiveQueue(policy: string): LiveQueue | undefined {
  return useSnapshot(({ event }) => event?.queues.find((queue) => queue.policy === policy));
}

/**
 * Returns the ids of the flash coupons with stock, joined by spaces like those of `useLiveCouponIds`; `undefined` before the
 * first event.
 */
export function useOpenCouponIds(): string | undefined {
  return useSnapshot(({ event }) =>
    event?.stock.flatMap(({ couponId, remaining }) => (remaining > 0 ? [couponId] : [])).join(' '),
  );
}

/** Returns the refusals of a global level since the page opened. */
export function useLiveRefusals(policy: string, level: string): readonly RefusalMark[] {
  return useSnapshot(({ refused }) => refused[levelKey({ policy, level })] ?? noMarks);
}

/** Returns true while an operator blocks a level of the policy, so that every call is refused. */
export function useIsBlocked(policy: string): boolean {
  return useSnapshot(
    ({ event }) => event?.levels.some((one) => one.policy === policy && one.mode === 'block') ?? false,
  );
}

/** Returns the status of the feed. */
export function useLiveStatus(): LiveSnapshot['status'] {
  return useSnapshot(({ status }) => status);
}
