import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useOpsFeed } from './live/ops-feed-provider';

interface ChangeOptions {
  /** A text that changes with the results; `undefined` while unknown. */
  signal: string | undefined;
  /** The queries to invalidate. */
  queries: readonly QueryFilters[];
  /** The time in ms until all nodes have a change, and the minimum time between refetches. Default: 0. */
  settleMs?: number;
}

/** Refetches queries when the feed signals a change, and never otherwise. */
export function useRefetchOnChange({ signal, queries, settleMs = 0 }: ChangeOptions): void {
  const client = useQueryClient();
  const seen = useRef<string>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(queries);

  useEffect(() => {
    latest.current = queries;
  });

  useEffect(() => {
    const isFirst = seen.current === undefined;
    if (signal === undefined || seen.current === signal) return;
    seen.current = signal;
    // The first result may predate a change that had not settled.
    if ((isFirst && settleMs === 0) || timer.current !== undefined) return;

    function refetchLater(changedBy: string | undefined): void {
      timer.current = setTimeout(() => {
        timer.current = undefined;
        for (const filters of latest.current) void client.invalidateQueries(filters);
        // A change in the meantime may have been missed.
        if (seen.current !== changedBy) refetchLater(seen.current);
      }, settleMs);
    }
    refetchLater(signal);
  }, [signal, client, settleMs]);

  useEffect(() => () => clearTimeout(timer.current), []);
}

interface OutageOptions {
  store: 'redis' | 'postgres';
  /** The error of the queries; `null` without one. */
  error: unknown;
  queries: readonly QueryFilters[];
}

/** Reads failed queries again once their store is back. */
export function useRefetchAfterOutage({ store, error, queries }: OutageOptions): void {
  const isUp = useOpsFeed(({ event }) => event?.health[store]?.ok === true);
  useRefetchOnChange({ signal: error && isUp ? 'back' : 'unchanged', queries });
}
