import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names';

interface Props extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** `danger` is for an action that cannot be undone. Default: `secondary`. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** Default: `medium`. */
  size?: 'medium' | 'large';
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
        styles[variant],
        styles[size],
        wide && styles.wide,
        rest.className,
      )}
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
