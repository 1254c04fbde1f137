import { type RefObject, useEffect, useState } from 'react';

/** Returns true while the pointer or the focus is within an element. */
export function useHeld(element: RefObject<HTMLElement | null>): boolean {
  const [isPointed, setPointed] = useState(false);
  const [hasFocus, setFocus] = useState(false);

  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    current.addEventListener('pointerenter', () => setPointed(true), { signal });
    current.addEventListener('pointerleave', () => setPointed(false), { signal });
    current.addEventListener('focusin', () => setFocus(true), { signal });
    current.addEventListener('focusout', () => setFocus(false), { signal });
    return () => listeners.abort();
  }, [element]);

  return isPointed || hasFocus;
}
