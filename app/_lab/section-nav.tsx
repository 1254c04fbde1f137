'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import styles from './section-nav.module.css';
import type { Section } from './sections';

interface Props {
  label: string;
  current: Section;
  links: readonly { section: Section; name: string }[];
}

/** The ways to the other parts. What else the address says, such as a scenario, is kept. */
export function SectionNav({ label, current, links }: Props) {
  const search = useSearchParams();

  function addressOf(section: Section): string {
    const query = new URLSearchParams(search);
    query.set('section', section);
    return `/lab?${query}`;
  }

  return (
    <nav className={styles.nav} aria-label={label}>
      {links.map(({ section, name }) => (
        <Link
          key={section}
          href={addressOf(section)}
          className={styles.link}
          aria-current={section === current ? 'page' : undefined}
          scroll={false}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
