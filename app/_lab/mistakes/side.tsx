import type { ReactNode } from 'react';
import { LimitBar } from '../../_components/ui/limit-bar';
import { VerdictBadge } from '../lanes/verdict-badge';
import styles from './side.module.css';

/** The main number of one version, with a verdict. */
export interface SideFigure {
  /** The number with its unit or limit. */
  text: string;
  isOk: boolean;
  verdict: string;
  bar: { value: number; limit: number; max: number };
}

interface Props {
  title: string;
  /** `undefined` before the first run. */
  figure: SideFigure | undefined;
  /** Further numbers with labels. */
  facts: readonly { name: string; value: ReactNode }[];
  children?: ReactNode;
}

const emptyBar = { value: 0, limit: 1, max: 1 } as const;

/** One version of a limiter with its result under a load. */
export function Side({ title, figure, facts, children }: Props) {
  return (
    <div className={styles.side}>
      <h4 className={styles.title}>{title}</h4>
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
