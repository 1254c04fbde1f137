import { useLocale } from 'next-intl';
import { useMemo } from 'react';

/** Returns a formatter of an instant as a clock time with seconds, in the browser's time zone. */
export function useClockFormat(): (at: number) => string {
  const language = useLocale();
  return useMemo(() => {
    const { format } = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });
    return (at) => format(at);
  }, [language]);
}
