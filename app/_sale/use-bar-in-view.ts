import { type RefObject, useEffect, useRef } from 'react';

/** The height of the bar: a button below it is not in view. */
const BAR_PX = 128;

/**
 * Returns a ref for the list of coupons, which has `data-others` while the button of another coupon than the featured one is in
 * view. A phone then hides the bar with the button of the featured coupon: one button belongs to what the shopper reads.
 * `coupons`: the present list, whose buttons are observed; `undefined` keeps the bar.
 */
export function useBarInView(coupons: unknown): RefObject<HTMLDivElement | null> {
  const board = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = board.current;
    if (!list || coupons === undefined) return;
    const inView = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) inView[isIntersecting ? 'add' : 'delete'](target);
        list.toggleAttribute('data-others', inView.size > 0);
      },
      { rootMargin: `0px 0px -${BAR_PX}px` },
    );
    for (const button of list.querySelectorAll('[data-bar="other"]')) observer.observe(button);
    return () => {
      observer.disconnect();
      list.removeAttribute('data-others');
    };
  }, [coupons]);
  return board;
}
