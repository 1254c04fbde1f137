'use client';

import { useEffect } from 'react';

/** Keeps the focus on the page when its control is removed. The rule loads with the first focus. */
export function FocusRule() {
  useEffect(() => {
    document.addEventListener(
      'focusin',
      () => void import('./keep-focus').then(({ keepFocus }) => keepFocus()),
      { once: true },
    );
  }, []);
  return null;
}
