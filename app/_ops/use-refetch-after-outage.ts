import type { QueryFilters } from '@tanstack/react-query';
import { useOpsFeed } from './live/ops-feed-provider';
import { useRefetchOnChange } from './use-refetch-on-change';

interface Options {
  store: 'redis' | 'postgres';
  /** The error of the queries; `null` without one. */
  error: unknown;
  queries: readonly QueryFilters[];
}

/** Reads failed queries again once their store is back. */
export function useRefetchAfterOutage({ store, error, queries }: Options): void {
  const isUp = useOpsFeed(({ event }) => event?.health[store]?.ok === true);
  useRefetchOnChange({ signal: error && isUp ? 'back' : 'unchanged', queries });
}
