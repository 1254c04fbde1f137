import Link from 'next/link';
import type { ReactNode } from 'react';
import buttonStyles from './button.module.css';
import { classNames } from './class-names';

/** A link that looks like a button, where pressing it leads somewhere. */
export function ButtonLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className={classNames(buttonStyles.button, buttonStyles.medium, buttonStyles.secondary)}
    >
      {children}
    </Link>
  );
}
