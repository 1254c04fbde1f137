'use client';

import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { Link } from '../_components/ui/link';
import styles from './nav-link.module.css';

/** A navigation link, marked on its page and below it. */
export function NavLink({ href, children }: { href: string; children: ReactNode }) {
  const path = usePathname();
  const isHere = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
  return (
    <Link href={href} className={styles.link} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  );
}
