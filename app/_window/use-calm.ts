import { useSyncExternalStore } from 'react';

const query = '(prefers-reduced-motion: reduce)';

/** Whether the visitor has asked for less motion. */
export function useCalm(): boolean {
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
