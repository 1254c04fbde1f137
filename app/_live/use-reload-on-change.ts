import { useEffect, useRef } from 'react';

/**
 * Delay of a reload, in ms: all viewers get a change at once, so each waits for a random time. Before the minimum, another
 * node may answer with a cached read from before the change.
 */
const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 750;

interface Options {
  /** The present value in the live feed; `undefined` while unknown. */
  value: string | number | undefined;
  /** The value of the data at the first render. Default: the first one in the feed. */
  initial?: string | number | undefined;
  reload(): void;
}

/** Reloads data within a second after its value in the live feed has changed. */
export function useReloadOnChange({ value, initial, reload }: Options): void {
  const seen = useRef(initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(reload);

  useEffect(() => {
    latest.current = reload;
  });

  useEffect(() => {
    const before = seen.current;
    if (value === undefined || value === before) return;
    seen.current = value;
    if (before === undefined) return;
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        latest.current();
      },
      MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS),
    );
  }, [value]);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}
