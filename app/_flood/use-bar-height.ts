import { type RefObject, useEffect } from 'react';

/** Sets `--bar` on an element to the height of the bar that covers the bottom of a phone's screen, while active. */
export function useBarHeight(element: RefObject<HTMLElement | null>, isActive: boolean): void {
  useEffect(() => {
    const bar = document.querySelector('[data-bar]');
    if (!isActive || !bar) return;
    function place(covering: Element): void {
      const isFixed = getComputedStyle(covering).position === 'fixed';
      const { height } = covering.getBoundingClientRect();
      element.current?.style.setProperty('--bar', isFixed ? `${height}px` : '0px');
    }
    // Before the element is shown, so that it does not move.
    place(bar);
    const observer = new ResizeObserver(() => place(bar));
    observer.observe(bar);
    return () => observer.disconnect();
  }, [element, isActive]);
}
