import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';

/** So near to the viewport is as good as in it: what scrolls into sight is moving already. */
const early = '128px';

/** Whether somebody can see the element: it is in the viewport, and the tab is not hidden. */
export function useOnScreen(element: RefObject<Element | null>): boolean {
  const [inViewport, setInViewport] = useState(false);
  const isVisible = useSyncExternalStore(
    onVisibility,
    () => document.visibilityState === 'visible',
    () => false,
  );

  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => setInViewport(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: early },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  return inViewport && isVisible;
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
