import { useTranslations } from 'next-intl';

const known = ['global', 'user', 'ip', 'email', 'email+ip', 'email-daily', 'ip-daily', 'mails'] as const;

/** Says whom a level counts; one that nobody has words for by its own name. Needs the namespace `ops`. */
export function useLevelWords(): (level: string) => string {
  const t = useTranslations('ops.level');
  return function levelWords(level) {
    const name = known.find((one) => one === level);
    return name ? t(name) : level;
  };
}
