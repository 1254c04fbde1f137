import { useTranslations } from 'next-intl';
import type { Mistake } from '../types';
import type { SideFigure } from './side';

interface Figures {
  /** The most in one window, against the limit. */
  windowFigure(count: number, bar: { limit: number; max: number }): SideFigure;
  /** What a mistake is about: mostly how full a window became. */
  mistakeFigure(mistake: Mistake, side: 'naive' | 'product'): SideFigure;
}

/** Says in one figure how a version did. */
export function useFigures(): Figures {
  const t = useTranslations('lab');

  function windowFigure(count: number, { limit, max }: { limit: number; max: number }): SideFigure {
    return {
      text: t('side.count', { count, limit }),
      isFine: count <= limit,
      verdict: t(count <= limit ? 'verdict.kept' : 'verdict.broken'),
      bar: { value: count, limit, max: Math.max(limit, max) },
    };
  }

  return {
    windowFigure,
    mistakeFigure(mistake, side) {
      const { naive, product, limit } = mistake;
      switch (mistake.mistake) {
        case 'double-burst':
        case 'node-clock':
          return windowFigure(mistake[side].worstWindow, {
            limit,
            max: Math.max(naive.worstWindow, product.worstWindow),
          });
        case 'self-extending-block': {
          const { admitted } = mistake[side];
          const isFine = admitted === product.admitted;
          return {
            text: t('side.calls', { count: admitted }),
            isFine,
            verdict: t(isFine ? 'verdict.letIn' : 'verdict.shutOut'),
            bar: { value: admitted, limit: product.admitted, max: product.admitted },
          };
        }
        case 'cross-slot': {
          const keys = side === 'naive' ? mistake.naiveKeys : mistake.productKeys;
          const slots = new Set(keys.map(({ slot }) => slot)).size;
          return {
            text: t('side.slots', { count: slots }),
            isFine: slots === 1,
            verdict: t(slots === 1 ? 'verdict.oneSlot' : 'verdict.apart'),
            bar: { value: slots, limit: 1, max: mistake.naiveKeys.length },
          };
        }
      }
    },
  };
}
