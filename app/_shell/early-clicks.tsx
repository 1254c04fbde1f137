'use client';

import { useEffect } from 'react';

declare global {
  interface Window {
    /** The buttons that were clicked before the page was interactive. Set by `keepEarlyClicks`. */
    earlyClicks?: Set<HTMLButtonElement> | null;
  }
}

/** Repeats the clicks that arrived before the page was interactive, each button once. */
export function EarlyClicks() {
  useEffect(() => {
    const buttons = window.earlyClicks ?? [];
    window.earlyClicks = null;
    for (const button of buttons) {
      delete button.dataset.pressed;
      button.click();
    }
  }, []);
  return null;
}
