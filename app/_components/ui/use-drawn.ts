import { type RefObject, useEffect, useState } from 'react';
import { useOnScreen } from './use-on-screen';

interface Drawn {
  /** The element has been in view, or the browser has had time for it, or prints the page. */
  isDrawn: boolean;
  isOnScreen: boolean;
}

/**
 * Returns whether to draw an element: from its first time in view, from browser idle, or for print. It then stays
 * drawn.
 */
export function useDrawn(element: RefObject<Element | null>): Drawn {
  const isOnScreen = useOnScreen(element);
  const [isDrawn, setIsDrawn] = useState(false);
  if (isOnScreen && !isDrawn) setIsDrawn(true);

  useEffect(() => {
    if (isDrawn) return;
    const draw = () => setIsDrawn(true);
    window.addEventListener('beforeprint', draw);
    // Safari has no idle callback.
    const isIdleKnown = 'requestIdleCallback' in window;
    const handle = isIdleKnown ? requestIdleCallback(draw) : window.setTimeout(draw, IDLE_MS);
    return () => {
      window.removeEventListener('beforeprint', draw);
      if (isIdleKnown) cancelIdleCallback(handle);
      else clearTimeout(handle);
    };
  }, [isDrawn]);

  return { isDrawn, isOnScreen };
}

const IDLE_MS = 2_000;
