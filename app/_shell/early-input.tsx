'use client';

import { useEffect } from 'react';

declare global {
  interface Window {
    /** The buttons that were clicked before the page was interactive. Set by the script of the layout. */
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

/** Keeps the focus on the page when its control is removed. The rule loads with the first focus. */
export function FocusRule() {
  useEffect(() => {
    // A control that got the focus before the page was interactive is known from its first key.
    for (const type of ['focusin', 'keydown']) {
      document.addEventListener(type, (event) => {
        // Read now: the control may be removed before the rule has loaded.
        const path = event.composedPath();
        void import('./keep-focus').then(({ keepFocusOf }) => keepFocusOf(path));
      });
    }
  }, []);
  return null;
}
