import { type RefObject, useEffect, useState } from 'react';

/** Returns true while the content is wider than the element, which then needs keyboard scrolling. */
export function useOverflows(element: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);

  useEffect(() => {
    const { current } = element;
    const inside = current?.firstElementChild;
    if (!current || !inside) return;
    const observer = new ResizeObserver(() => setOverflows(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    observer.observe(inside);
    return () => observer.disconnect();
  }, [element]);

  return overflows;
}
