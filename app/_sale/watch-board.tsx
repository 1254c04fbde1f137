import { type RefObject, useEffect } from 'react';
import { useLiveWindow } from '../_live/live-provider';
import { useOwnWindows } from '../_window/own-windows';
import { usePolicyRefusal } from '../_window/refusals';

/** The share of everyone's limit from which calls count as a flood. */
const FLOOD_SHARE = 0.5;
/** The height of the bar: a button below it is not in view. */
const BAR_PX = 128;

interface Props {
  /** The list of coupons. */
  board: RefObject<HTMLElement | null>;
  /** The present list, whose buttons are observed; `undefined` while the dock observes them. */
  coupons: unknown;
  /** Called at the visitor's first press, its refusal, or a flood. */
  onActive(): void;
}

/**
 * Watches the sale page. A component that is loaded late, so that the feed renders nothing else. Draws nothing.
 *
 * While the button of another coupon is in view, a phone hides the bar with the button of the featured one: one button
 * belongs to what the shopper reads.
 */
export function WatchBoard({ board, coupons, onActive }: Props): null {
  const everyone = useLiveWindow('coupon.seckill', 'global');
  const { windows } = useOwnWindows();
  const refusals = [usePolicyRefusal('coupon.seckill'), usePolicyRefusal('coupon.claim')];
  const hasPressed = windows.some(
    ({ policy, used }) => used > 0 && (policy === 'coupon.seckill' || policy === 'coupon.claim'),
  );
  const isFlood = everyone !== undefined && everyone.used >= FLOOD_SHARE * everyone.limit;
  const isActive = hasPressed || isFlood || refusals.some(Boolean);

  useEffect(() => {
    if (isActive) onActive();
  }, [isActive, onActive]);

  useEffect(() => {
    const list = board.current;
    if (list && coupons !== undefined) return watchOtherButtons(list, 0);
  }, [board, coupons]);
  return null;
}

/**
 * Sets `data-others` on the list of coupons while the button of another coupon than the featured one is in view. `dockPx`:
 * the height of the dock, which stands on the bar and covers more of the screen. Returns a function that ends it.
 */
export function watchOtherButtons(list: Element, dockPx: number): () => void {
  const inView = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) inView[isIntersecting ? 'add' : 'delete'](target);
      list.toggleAttribute('data-others', inView.size > 0);
    },
    { rootMargin: `0px 0px -${BAR_PX + dockPx}px` },
  );
  for (const button of list.querySelectorAll('[data-bar="other"]')) observer.observe(button);
  return () => {
    observer.disconnect();
    list.removeAttribute('data-others');
  };
}
