'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { ButtonLink } from '../../_components/ui/button';

interface Props {
  /** The page without the tour. */
  href: string;
  children: ReactNode;
}

/** Leaves the tour, also with Escape. The page keeps its scenario. */
export function LeaveTour({ href, children }: Props) {
  const router = useRouter();
  useEffect(() => {
    function leave(event: KeyboardEvent): void {
      // Escape closes an open menu or dialog first, and clears or closes a field.
      const isTaken = event.defaultPrevented || document.querySelector(':popover-open, dialog[open]');
      const isInField = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key === 'Escape' && !isTaken && !isInField) router.push(href, { scroll: false });
    }
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, [router, href]);
  return (
    <ButtonLink href={href} scroll={false} aria-keyshortcuts="Escape">
      {children}
    </ButtonLink>
  );
}
