import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../_components/ui/button';

interface Props {
  isOpen: boolean;
  /** Its whole name, where its words alone do not say of what. */
  label: string;
  onToggle(): void;
  children: ReactNode;
}

/** Opens something near it. When that is closed, whoever was in it is back at the button. */
export function OpenerButton({ isOpen, label, onToggle, children }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);

  useEffect(() => {
    if (wasOpen.current && !isOpen && isNobodyFocused()) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);

  return (
    <Button ref={button} aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </Button>
  );
}

function isNobodyFocused(): boolean {
  return document.activeElement === document.body;
}
