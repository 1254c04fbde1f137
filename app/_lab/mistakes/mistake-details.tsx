import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import type { Mistake } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { KeySlots } from './key-slots';

/** Details of a mistake below its numbers. */
export function MistakeDetails({ mistake }: { mistake: Mistake }) {
  const t = useTranslations('lab.mistakeDetails');
  const { time, count } = useLabNumbers();
  switch (mistake.mistake) {
    case 'double-burst':
    case 'self-extending-block':
      return null;
    case 'node-clock':
      return (
        <Notice tone="warning">
          {t('nodeClock', { skew: time(mistake.skewMs), ...countCalls(mistake.nodes) })}
        </Notice>
      );
    case 'cross-slot':
      return (
        <>
          <Notice tone={mistake.naiveError ? 'refused' : 'warning'}>
            {mistake.naiveError
              ? t('crossSlot', { error: mistake.naiveError })
              : t('noSlots', { slots: count(16_384) })}
          </Notice>
          <KeySlots naive={mistake.naiveKeys} product={mistake.productKeys} />
        </>
      );
  }
}

function countCalls(nodes: readonly number[]): { first: number; second: number } {
  const second = nodes.filter((node) => node === 1).length;
  return { first: nodes.length - second, second };
}
