'use client';

import Link from 'next/link';
import { useRouter, useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { ButtonLink } from '../_components/ui/button';
import type { Section } from './addresses';
import styles from './pages.module.css';

interface SectionNavProps {
  label: string;
  current: Section;
  links: readonly { section: Section; name: string }[];
}

/** Links to the sections. Other URL parameters, such as a scenario, are kept, but a step of the tour is left. */
export function SectionNav({ label, current, links }: SectionNavProps) {
  const search = useSearchParams();

  function createHref(section: Section): string {
    const query = new URLSearchParams(search);
    query.set('section', section);
    query.delete('step');
    return `/lab?${query}`;
  }

  return (
    <nav className={styles.nav} aria-label={label}>
      {links.map(({ section, name }) => (
        <Link
          prefetch={false}
          key={section}
          href={createHref(section)}
          className={styles.navLink}
          aria-current={section === current ? 'page' : undefined}
          scroll={false}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

interface LeaveTourProps {
  /** The page without the tour. */
  href: string;
  children: ReactNode;
}

/** Leaves the tour, also with Escape. The page keeps its scenario. */
export function LeaveTour({ href, children }: LeaveTourProps) {
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
