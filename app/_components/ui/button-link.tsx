import type { ReactNode } from 'react';
import buttonStyles from './button.module.css';
import { classNames } from './class-names';
import { Link } from './link';

const variants = {
  primary: buttonStyles.primary,
  secondary: buttonStyles.secondary,
} as const;

interface Props {
  href: string;
  /** Default: `secondary`. */
  variant?: keyof typeof variants;
  children: ReactNode;
}

/** A link that looks like a button. */
export function ButtonLink({ href, variant = 'secondary', children }: Props) {
  return (
    <Link href={href} className={classNames(buttonStyles.button, buttonStyles.medium, variants[variant])}>
      {children}
    </Link>
  );
}
