import Link from 'next/link';
import type { ComponentProps } from 'react';
import { classNames } from './class-names';
import styles from './controls.module.css';

interface Appearance {
  /** `danger` is for an action that cannot be undone. Default: `secondary`. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** Default: `medium`. */
  size?: 'medium' | 'large';
  /** Fills the width. */
  wide?: boolean;
  className?: string | undefined;
}

interface ButtonProps extends Appearance, Omit<ComponentProps<'button'>, 'disabled' | 'className'> {
  /** Does nothing when pressed, but stays in the tab order. */
  closed?: boolean;
  /** A call is pending: closed, and announced as busy. */
  busy?: boolean;
}

/** A button that closes with `aria-disabled`, because `disabled` would drop the keyboard focus. */
export function Button({ variant, size, wide, className, closed, busy, onClick, ...rest }: ButtonProps) {
  const inert = closed || busy;
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ variant, size, wide, className })}
      aria-disabled={inert || undefined}
      aria-busy={busy || undefined}
      data-keep={(!inert && onClick !== undefined) || undefined}
      onClick={(event) => {
        // A click that is handled here is not repeated by EarlyClicks.
        if (inert || onClick) event.preventDefault();
        if (!inert) onClick?.(event);
      }}
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  wide,
  className,
  ...rest
}: Appearance & Omit<ComponentProps<typeof Link>, 'prefetch' | 'className'>) {
  return <Link {...rest} prefetch={false} className={classOf({ variant, size, wide, className })} />;
}

function classOf({ variant = 'secondary', size = 'medium', wide, className }: Appearance): string {
  return classNames(styles.button, styles[variant], styles[size], wide && styles.wide, className);
}
