import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../_components/ui/button';

interface Props {
  isOpen: boolean;
  /** The full accessible name, because the visible text does not name the object. */
  label: string;
  onToggle(): void;
  children: ReactNode;
}

/** Opens content near it. When that closes, the focus returns to the button. */
export function OpenerButton({ isOpen, label, onToggle, children }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);

  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);

  return (
    <Button ref={button} aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </Button>
  );
}

function isFocusLost(): boolean {
  return document.activeElement === document.body;
}
