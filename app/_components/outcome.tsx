import type { ReactNode } from 'react';
import styles from './purchase.module.css';
import { classNames } from './ui/class-names';
import layout from './ui/layout.module.css';

const variants = {
  confirming: layout.accentFill,
  held: layout.waitFill,
  owned: layout.goodFill,
  gone: classNames(layout.muteFill, styles.gone),
  refused: layout.waitFill,
  banned: layout.failFill,
} as const;

/** The picture on the stub of each outcome, on a grid of 32 units. It only repeats the text. */
const pictures = {
  confirming: <Ticket />,
  held: <path d="M16 5a11 11 0 1 1 0 22 11 11 0 0 1 0-22zM16 10v6l4 3" />,
  owned: (
    <>
      <Ticket />
      <path d="m11 16 3.5 3.5 6.5-7" />
    </>
  ),
  gone: (
    <path d="M4 10h9l-2 3 3 3-3 3 2 3H4v-3a3 3 0 0 0 0-6zM18 8l10 2-.6 3a3 3 0 0 0-1.2 5.8l-.6 3L16 20l2-3-2-3 3-3z" />
  ),
  refused: <path d="M9 5h14M9 27h14M11 5v4l5 7 5-7V5M11 27v-4l5-7 5 7v4" />,
  banned: <path d="M16 5a11 11 0 1 1 0 22 11 11 0 0 1 0-22zM8.3 8.3l15.4 15.4" />,
} satisfies Record<keyof typeof variants, ReactNode>;

interface Props {
  variant: keyof typeof variants;
  title?: ReactNode;
  children?: ReactNode;
}

/** The outcome of a click on a coupon, drawn as a ticket with its stub. */
export function Outcome({ variant, title, children }: Props) {
  return (
    <div className={classNames(styles.outcome, variants[variant])}>
      <svg className={styles.stub} viewBox="0 0 32 32" aria-hidden="true">
        {pictures[variant]}
      </svg>
      <div className={styles.outcomeWords}>
        {title && <strong className={styles.outcomeTitle}>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}

function Ticket() {
  return <path d="M4 9h24v4a3 3 0 0 0 0 6v4H4v-4a3 3 0 0 0 0-6z" />;
}
