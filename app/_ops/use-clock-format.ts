import { useCallback } from 'react';
import { useLocalTime } from '../_i18n/local-time';

/** Returns a formatter of an instant as a clock time with seconds, in the browser's time zone. */
export function useClockFormat(): (at: number) => string {
  const format = useLocalTime();
  return useCallback((at) => format(at, { timeStyle: 'medium', hourCycle: 'h23' }), [format]);
}
