import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names';

const variants = {
  primary: styles.primary,
  secondary: styles.secondary,
  quiet: styles.quiet,
} as const;

const sizes = {
  medium: styles.medium,
  large: styles.large,
} as const;

interface Props extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** Default: `secondary`. */
  variant?: keyof typeof variants;
  /** Default: `medium`. */
  size?: keyof typeof sizes;
  /** Closed for now: does nothing, and stays in the tab order so that focus is not lost. */
  closed?: boolean;
  /** An answer is awaited: closed, and said to be busy. */
  busy?: boolean;
  /** Takes the whole width. */
  wide?: boolean;
}

/** A button. It closes by `aria-disabled`, never by `disabled`, which would drop the focus of who waits on it. */
export function Button({
  variant = 'secondary',
  size = 'medium',
  closed,
  busy,
  wide,
  onClick,
  ...rest
}: Props) {
  const inert = closed || busy;
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        styles.button,
        variants[variant],
        sizes[size],
        wide && styles.wide,
        rest.className,
      )}
      aria-disabled={inert || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (inert) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
