import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

interface Options {
  /** A text that changes when the answers do; `undefined` while it is not known. */
  signal: string | undefined;
  /** The answers that are out of date then. */
  queries: readonly QueryFilters[];
  /** So long after a change its answers are known everywhere, in ms; it is asked no more often than that. Default: 0. */
  settlesInMs?: number;
}

/** Asks again when the feed says that something has changed: nothing is asked for while nothing happens. */
export function useRefetchOn({ signal, queries, settlesInMs = 0 }: Options): void {
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
    // What was read just before the feed spoke may not have settled.
    if ((isFirst && settlesInMs === 0) || timer.current !== undefined) return;

    function askLater(changedBy: string | undefined): void {
      timer.current = setTimeout(() => {
        timer.current = undefined;
        for (const filters of latest.current) void client.invalidateQueries(filters);
        // What changed meanwhile may not have been known yet.
        if (seen.current !== changedBy) askLater(seen.current);
      }, settlesInMs);
    }
    askLater(signal);
  }, [signal, client, settlesInMs]);

  useEffect(() => () => clearTimeout(timer.current), []);
}
