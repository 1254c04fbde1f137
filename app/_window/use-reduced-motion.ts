import { useSyncExternalStore } from 'react';

const query = '(prefers-reduced-motion: reduce)';

/** Returns true if the visitor prefers reduced motion. */
export function useReducedMotion(): boolean {
  return useSyncExternalStore(
    onChange,
    () => matchMedia(query).matches,
    () => false,
  );
}

function onChange(listener: () => void): () => void {
  const preference = matchMedia(query);
  preference.addEventListener('change', listener);
  return () => preference.removeEventListener('change', listener);
}
