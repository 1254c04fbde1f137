import { useTranslations } from 'next-intl';

const known = ['global', 'user', 'ip', 'email', 'email+ip', 'email-daily', 'ip-daily', 'mails'] as const;

/** Returns a function that translates level names; an unknown level keeps its own name. Needs the namespace `ops`. */
export function useLevelName(): (level: string) => string {
  const t = useTranslations('ops.level');
  return function levelName(level) {
    const name = known.find((one) => one === level);
    return name ? t(name) : level;
  };
}
