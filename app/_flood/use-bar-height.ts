import { type RefObject, useEffect } from 'react';

/** Sets `--bar` on an element to the height of the bar that covers the bottom of a phone's screen, while active. */
export function useBarHeight(element: RefObject<HTMLElement | null>, isActive: boolean): void {
  useEffect(() => {
    const bar = document.querySelector('[data-bar]');
    if (!isActive || !bar) return;
    const observer = new ResizeObserver(() => {
      const isFixed = getComputedStyle(bar).position === 'fixed';
      element.current?.style.setProperty(
        '--bar',
        isFixed ? `${bar.getBoundingClientRect().height}px` : '0px',
      );
    });
    observer.observe(bar);
    return () => observer.disconnect();
  }, [element, isActive]);
}
