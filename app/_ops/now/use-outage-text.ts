import { useFormatter, useTranslations } from 'next-intl';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Level, Policy } from '../types';
import { isStoreFailing } from './read-headline';

const kinds = ['closed', 'open', 'local'] as const;

/** Returns true while the headline states an outage of Redis. */
export function useIsOutage(): boolean {
  return useOpsFeed(
    ({ status, event }) =>
      status === 'live' && event !== undefined && (event.stale || isStoreFailing('redis', event)),
  );
}

/** Returns what a level does without Redis; `undefined` for a value of a newer server. */
export function findOutageKind({
  onStoreError,
}: Pick<Level, 'onStoreError'>): (typeof kinds)[number] | undefined {
  return kinds.find((kind) => kind === onStoreError);
}

/**
 * Returns a function that states what callers get without Redis: the number of limits that refuse, admit, or count on each
 * node. A function, because the first list in words takes a phone long.
 */
export function useOutageText(policies: readonly Policy[]): () => string {
  const t = useTranslations('opsNow.pulse.outage');
  const { list } = useFormatter();
  return () => {
    const levels = policies.flatMap((policy) => policy.levels);
    const counted = kinds.map((kind) => ({
      kind,
      count: levels.filter(({ onStoreError }) => onStoreError === kind).length,
    }));
    const parts = counted.filter(({ count }) => count > 0).map(({ kind, count }) => t(kind, { count }));
    return t('text', { parts: list(parts) });
  };
}
