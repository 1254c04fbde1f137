'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import styles from './section-nav.module.css';

interface Props {
  label: string;
  /** Value of the URL parameter `section`. */
  current: string;
  links: readonly { section: string; name: string }[];
}

/** Links to the sections. Other URL parameters, such as a scenario, are kept, but a step of the tour is left. */
export function SectionNav({ label, current, links }: Props) {
  const search = useSearchParams();

  function createHref(section: string): string {
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
