import { type RefObject, useEffect, useState } from 'react';

/** The width of an element in whole CSS pixels; 0 until it is known. */
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
