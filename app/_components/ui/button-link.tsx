import Link from 'next/link';
import type { ComponentProps } from 'react';
import buttonStyles from './button.module.css';
import { classNames } from './class-names';

const variants = {
  primary: buttonStyles.primary,
  secondary: buttonStyles.secondary,
} as const;

const sizes = {
  medium: buttonStyles.medium,
  large: buttonStyles.large,
} as const;

interface Props extends Omit<ComponentProps<typeof Link>, 'prefetch'> {
  /** Default: `secondary`. */
  variant?: keyof typeof variants;
  /** Default: `medium`. */
  size?: keyof typeof sizes;
  /** Fills the width. */
  wide?: boolean;
}

/** A link that looks like a button. */
export function ButtonLink({ variant = 'secondary', size = 'medium', wide, ...rest }: Props) {
  return (
    <Link
      {...rest}
      prefetch={false}
      className={classNames(
        buttonStyles.button,
        sizes[size],
        variants[variant],
        wide && buttonStyles.wide,
        rest.className,
      )}
    />
  );
}
