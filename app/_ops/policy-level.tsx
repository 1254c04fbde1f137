import styles from './policy-level.module.css';
import { useLevelName } from './use-level-name';

/** Shows a level: the policy's code name and a translated level name. */
export function PolicyLevel({ policy, level }: { policy: string; level: string }) {
  const levelName = useLevelName();
  return (
    <span className={styles.name}>
      <code className={styles.policy}>{policy}</code>
      <span className={styles.level}>{levelName(level)}</span>
    </span>
  );
}
