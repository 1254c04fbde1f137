import { type RefObject, useEffect, useState } from 'react';

/** Measures an element's width in whole CSS pixels. Returns 0 before the first measurement. */
export function useWidth(element: RefObject<Element | null>): number {
  const [width, setWidth] = useState(0);

  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  return width;
}
