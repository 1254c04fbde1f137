import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names';

const variants = {
  primary: styles.primary,
  secondary: styles.secondary,
  quiet: styles.quiet,
  /** For an action that cannot be undone. */
  danger: styles.danger,
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
  /** Does nothing when pressed, but stays in the tab order. */
  closed?: boolean;
  /** A call is pending: closed, and announced as busy. */
  busy?: boolean;
  /** Fills the width. */
  wide?: boolean;
}

/** A button that closes with `aria-disabled`, because `disabled` would drop the keyboard focus. */
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
