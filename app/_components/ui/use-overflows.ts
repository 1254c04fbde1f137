import { type RefObject, useEffect, useState } from 'react';

/** Returns true while the content is wider than the element, which then needs keyboard scrolling. */
export function useOverflows(element: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);

  useEffect(() => {
    const { current } = element;
    // The last child is the content: a control before it may be hidden.
    const inside = current?.lastElementChild;
    if (!current || !inside) return;
    const observer = new ResizeObserver(() => setOverflows(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    observer.observe(inside);
    return () => observer.disconnect();
  }, [element]);

  return overflows;
}
