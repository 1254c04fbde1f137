import { useTranslations } from 'next-intl';
import type { Mistake } from '../types';
import type { SideFigure } from './side';

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
