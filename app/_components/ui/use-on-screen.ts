import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';

/** Counts as visible this far outside the viewport, so that animations run before they scroll in. */
const ROOT_MARGIN = '128px';

/** Returns true while the element is in the viewport of a visible tab. */
export function useOnScreen(element: RefObject<Element | null>): boolean {
  const [inViewport, setInViewport] = useState(false);
  const isVisible = useSyncExternalStore(
    subscribeToVisibility,
    () => document.visibilityState === 'visible',
    () => false,
  );

  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => setInViewport(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: ROOT_MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  return inViewport && isVisible;
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
