import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Details } from '../details';
import { VerdictBadge } from '../lanes/verdict-badge';
import type { Mistake } from '../types';
import styles from './mistake-frame.module.css';

interface Props {
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
export function MistakeFrame({ title, naive, why, start, sides, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.mistake}>
      <Details
        summary={
          <>
            <h3 id={id} className={layout.title}>
              {title}
            </h3>
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
      <h4 className={styles.sideTitle}>{title}</h4>
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

interface Figures {
  /** Creates the figure of the fullest window, compared with the limit. */
  createWindowFigure(count: number, bar: { limit: number; max: number }): SideFigure;
  /** Creates the figure that shows a mistake, mostly the fullest window. */
  createMistakeFigure(mistake: Mistake, side: 'naive' | 'product'): SideFigure;
}

/** Summarizes a version in one figure. */
export function useFigures(): Figures {
  const t = useTranslations('lab');

  function createWindowFigure(count: number, { limit, max }: { limit: number; max: number }): SideFigure {
    return {
      text: t('side.count', { count, limit }),
      isOk: count <= limit,
      verdict: t(count <= limit ? 'verdict.kept' : 'verdict.broken'),
      bar: { value: count, limit, max: Math.max(limit, max) },
    };
  }

  return {
    createWindowFigure,
    createMistakeFigure(mistake, side) {
      const { naive, product, limit } = mistake;
      switch (mistake.mistake) {
        case 'double-burst':
        case 'node-clock':
          return createWindowFigure(mistake[side].worstWindow, {
            limit,
            max: Math.max(naive.worstWindow, product.worstWindow),
          });
        case 'self-extending-block': {
          const { admitted } = mistake[side];
          const isOk = admitted === product.admitted;
          return {
            text: t('side.calls', { count: admitted }),
            isOk,
            verdict: t(isOk ? 'verdict.admittedAgain' : 'verdict.neverAdmitted'),
            bar: { value: admitted, limit: product.admitted, max: product.admitted },
          };
        }
        case 'cross-slot': {
          const keys = side === 'naive' ? mistake.naiveKeys : mistake.productKeys;
          const slots = new Set(keys.map(({ slot }) => slot)).size;
          return {
            text: t('side.slots', { count: slots }),
            isOk: slots === 1,
            verdict: t(slots === 1 ? 'verdict.oneSlot' : 'verdict.crossSlot'),
            bar: { value: slots, limit: 1, max: mistake.naiveKeys.length },
          };
        }
      }
    },
  };
}
