import { type ReactNode, useEffect, useId, useRef } from 'react';
import { LimitBar } from '../../_components/ui/bars';
import layout from '../../_components/ui/layout.module.css';
import { EarlierResult } from '../earlier-result';
import { VerdictBadge } from '../lanes/verdict-badge';
import styles from './mistake-frame.module.css';

/**
 * The origin of the choice. After a button the heading takes the focus. A select keeps it, because the arrow keys go
 * on to the next card.
 */
export type ChosenBy = 'url' | 'button' | 'select';

interface Props {
  title: string;
  chosenBy: ChosenBy;
  /** Explanation in a few sentences. */
  why: string;
  /** The start button with its progress. */
  start: ReactNode;
  /** The versions, side by side. */
  sides?: ReactNode;
  /** Further details. */
  children?: ReactNode;
  /** The sides and the details are of an earlier run. */
  isEarlier: boolean;
}

/** The frame of the chosen card. It scrolls into view, unless it comes first or follows its select. */
export function MistakeFrame(props: Props) {
  const { title, chosenBy, why, start, sides, children, isEarlier } = props;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (chosenBy === 'select') return;
    const wasPressed = chosenBy === 'button';
    if (wasPressed) heading.current?.focus({ preventScroll: true });
    const card = heading.current?.parentElement;
    if (wasPressed || card?.previousElementSibling) card?.scrollIntoView({ block: 'start' });
  }, [chosenBy]);
  return (
    <section aria-labelledby={id} className={styles.mistake}>
      <h3 id={id} ref={heading} tabIndex={-1} className={styles.title}>
        {title}
      </h3>
      <p className={styles.why}>{why}</p>
      {start}
      <EarlierResult isEarlier={isEarlier}>
        <div className={layout.stack3}>
          {sides && <div className={styles.sides}>{sides}</div>}
          {children}
        </div>
      </EarlierResult>
    </section>
  );
}

/** The main number of one version, with a verdict. */
interface SideFigure {
  name: string;
  /** The number with its unit or limit. */
  text: string;
  isOk: boolean;
  verdict: string;
  bar: { value: number; limit: number; max: number };
}

interface SideProps {
  title: string;
  /** `undefined` before the first run. */
  figure: SideFigure | undefined;
  /** Further numbers with labels. */
  facts: readonly { name: string; value: ReactNode }[];
  children?: ReactNode;
}

const emptyBar = { value: 0, limit: 1, max: 1 } as const;

/** One version of a limiter with its result under a load. */
export function Side({ title, figure, facts, children }: SideProps) {
  return (
    <div className={styles.side}>
      <h4 className={styles.sideTitle}>{title}</h4>
      <div className={styles.result}>
        {/* The name depends on the run. Its line is reserved. */}
        <p className={styles.figureName}>{figure?.name ?? '\u00a0'}</p>
        <div className={styles.figure}>
          <span className={styles.count}>{figure?.text ?? '–'}</span>
          {figure && <VerdictBadge isOk={figure.isOk}>{figure.verdict}</VerdictBadge>}
        </div>
        <LimitBar {...(figure?.bar ?? emptyBar)} />
        <dl className={styles.facts}>
          {facts.map(({ name, value }) => (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {children}
      </div>
    </div>
  );
}
