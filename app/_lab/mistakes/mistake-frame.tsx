import { type ReactNode, useEffect, useId, useRef } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Result } from '../experiment';
import styles from './mistakes.module.css';

/**
 * The origin of the choice. After a button the heading takes the focus. A select keeps it, because the arrow keys go
 * on to the next card. `default`: without a choice.
 */
export type ChosenBy = 'default' | 'url' | 'button' | 'select';

interface Props {
  title: string;
  chosenBy: ChosenBy;
  /** Explanation in a few sentences. */
  why: string;
  /** The start button with its progress. */
  start: ReactNode;
  /** The result. */
  children: ReactNode;
  /** The result is of an earlier run. */
  isEarlier: boolean;
}

/** The frame of the chosen card. It scrolls into view if a visitor chose it and it begins elsewhere. */
export function MistakeFrame({ title, chosenBy, why, start, children, isEarlier }: Props) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (chosenBy === 'select' || chosenBy === 'default') return;
    const wasPressed = chosenBy === 'button';
    if (wasPressed) heading.current?.focus({ preventScroll: true });
    const card = heading.current?.parentElement;
    const top = card?.getBoundingClientRect().top ?? 0;
    if (top < 0 || top > window.innerHeight / 2) card?.scrollIntoView({ block: 'start' });
  }, [chosenBy]);
  return (
    <section aria-labelledby={id} className={classNames(layout.card, layout.stack3, styles.mistake)}>
      <h3 id={id} ref={heading} tabIndex={-1} className={layout.title}>
        {title}
      </h3>
      <p className={classNames(layout.soft, styles.why)}>{why}</p>
      {start}
      <Result isEarlier={isEarlier}>
        <div className={layout.stack3}>{children}</div>
      </Result>
    </section>
  );
}
