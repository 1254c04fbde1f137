import { type ReactNode, useEffect, useId, useRef } from 'react';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Details } from '../details';
import { VerdictBadge } from '../lanes/verdict-badge';
import styles from './mistake-frame.module.css';

/** The state of a card in the URL. */
export interface Opening {
  /** Open at first, and in view. */
  isOpen: boolean;
  onOpen(): void;
}

interface Props extends Opening {
  title: string;
  /** The limiter that is compared with the product. */
  naive?: string;
  /** Explanation in a few sentences. */
  why: string;
  /** The start button with its progress. */
  start: ReactNode;
  /** The two versions, side by side. */
  sides?: ReactNode;
  /** Further details. */
  children?: ReactNode;
}

/** The frame of one mistake, closed at first, so that all mistakes are on one screen. */
export function MistakeFrame({ isOpen, onOpen, title, naive, why, start, sides, children }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);

  // Once, because later the reader scrolls.
  const isOpenAtFirst = useRef(isOpen);
  useEffect(() => {
    if (isOpenAtFirst.current) card.current?.scrollIntoView({ block: 'start' });
  }, []);

  return (
    <section ref={card} aria-labelledby={id} className={styles.mistake}>
      <Details
        isOpen={isOpen}
        onOpen={onOpen}
        summary={
          <>
            <h4 id={id} className={styles.title}>
              {title}
            </h4>
            <span className={styles.naive}>{naive}</span>
          </>
        }
      >
        <div className={layout.stack4}>
          <p className={styles.why}>{why}</p>
          {start}
          {sides && <div className={styles.sides}>{sides}</div>}
          {children}
        </div>
      </Details>
    </section>
  );
}

/** The main number of one version, with a verdict. */
interface SideFigure {
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
      <h5 className={styles.sideTitle}>{title}</h5>
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
  );
}
