import { useTranslations } from 'next-intl';
import type { PackedMeaning } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

/** So many instants of a log are read out; the rest is counted. */
const shownInstants = 8;

/** What packed bytes mean, in words. */
export function PackedText({ meaning }: { meaning: PackedMeaning }) {
  const t = useTranslations('lab.packed');
  const { time } = useLabNumbers();
  switch (meaning.kind) {
    case 'log':
      return t('log', {
        count: meaning.instants.length,
        instants: meaning.instants.slice(0, shownInstants).map(time).join(', '),
        more: Math.max(0, meaning.instants.length - shownInstants),
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
