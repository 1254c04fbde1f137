import { useTranslations } from 'next-intl';
import type { PackedState } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

/** Further times of a log are only counted. */
const MAX_SHOWN_INSTANTS = 8;

/** Describes a packed state in words. */
export function PackedStateText({ meaning }: { meaning: PackedState }) {
  const t = useTranslations('lab.packed');
  const { time } = useLabNumbers();
  switch (meaning.kind) {
    case 'log':
      return t('log', {
        count: meaning.instants.length,
        instants: meaning.instants.slice(0, MAX_SHOWN_INSTANTS).map(time).join(', '),
        more: Math.max(0, meaning.instants.length - MAX_SHOWN_INSTANTS),
      });
    case 'fixed-window':
      return t('fixedWindow', { count: meaning.count, newest: time(meaning.newest) });
    case 'sub-windows':
      return t('subWindows', {
        sum: meaning.sum,
        newest: time(meaning.newest),
        parts: meaning.parts.map(({ endsAt, count }) => t('part', { count, until: time(endsAt) })).join(', '),
      });
    case 'bucket':
      return t('bucket', {
        units: meaning.units,
        newest: time(meaning.newest),
        limit: meaning.limit,
        window: time(meaning.windowMs),
      });
  }
}
