import type { ReactNode } from 'react';
import { LimitBar } from '../../_components/ui/limit-bar';
import { VerdictBadge } from '../lanes/verdict-badge';
import styles from './side.module.css';

/** What one version let through, and whether that is fine. */
export interface SideFigure {
  /** In figures, with its unit or its limit. */
  text: string;
  isFine: boolean;
  verdict: string;
  bar: { value: number; limit: number; max: number };
}

interface Props {
  title: string;
  /** `undefined` until it is known. */
  figure: SideFigure | undefined;
  /** Further numbers, with their names. */
  facts: readonly { name: string; value: ReactNode }[];
  children?: ReactNode;
}

const emptyBar = { value: 0, limit: 1, max: 1 } as const;

/** One version of a limiter under a load: what it let through. */
export function Side({ title, figure, facts, children }: Props) {
  return (
    <div className={styles.side}>
      <h4 className={styles.title}>{title}</h4>
      <div className={styles.figure}>
        <span className={styles.count}>{figure?.text ?? '–'}</span>
        {figure && <VerdictBadge isFine={figure.isFine}>{figure.verdict}</VerdictBadge>}
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
