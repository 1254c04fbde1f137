import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';
import styles from './levels.module.css';
import type { Policy } from './types';

/** Shows a level: the policy's code name and a translated level name. */
export function LevelLabel({ policy, level }: { policy: string; level: string }) {
  const levelName = useLevelName();
  return (
    <span className={styles.name}>
      <code className={styles.policy}>{policy}</code>
      <span className={styles.level}>{levelName(level)}</span>
    </span>
  );
}

/** Shows the mode of a level; only the exceptions are marked. Needs the namespace `ops`. */
export function ModeBadge({ mode }: { mode: string }) {
  const t = useTranslations('ops.mode');
  if (mode === 'shadow') return <Badge tone="wait">{t('shadow')}</Badge>;
  if (mode === 'off') return <Badge>{t('off')}</Badge>;
  return <span className={styles.enforced}>{t('enforce')}</span>;
}

const known = [
  'global',
  'user',
  'ip',
  'email',
  'email+ip',
  'email-daily',
  'ip-daily',
  'mails',
  'order',
] as const;

/** Returns a function that translates level names; an unknown level keeps its own name. Needs the namespace `ops`. */
export function useLevelName(): (level: string) => string {
  const t = useTranslations('ops.level');
  return function levelName(level) {
    const name = known.find((one) => one === level);
    return name ? t(name) : level;
  };
}

/** Sorts policies with a global level first, because a flood fills it first. */
export function sortSharedFirst(policies: readonly Policy[]): Policy[] {
  const isShared = ({ levels }: Policy) => levels.some(({ level }) => level === 'global');
  return policies.toSorted((one, other) => Number(isShared(other)) - Number(isShared(one)));
}
