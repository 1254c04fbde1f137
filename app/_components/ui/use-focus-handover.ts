import { type RefCallback, useState } from 'react';

/**
 * Returns a ref for controls that replace each other, such as a button and the link of the next step. A control that is
 * replaced while it has the focus passes it on.
 */
export function useFocusHandover(): RefCallback<HTMLElement> {
  const [handOver] = useState(createHandover);
  return handOver;
}

function createHandover(): RefCallback<HTMLElement> {
  let hadFocus = false;
  return function handOver(control) {
    if (hadFocus) control?.focus();
    hadFocus = false;
    // React detaches the ref before it removes the control.
    return () => {
      hadFocus = control !== null && control === document.activeElement;
    };
  };
}
