import styles from './policy-level.module.css';
import { useLevelWords } from './use-level-words';

/** Names a level: its policy as the code does, and whom it counts in words. */
export function PolicyLevel({ policy, level }: { policy: string; level: string }) {
  const levelWords = useLevelWords();
  return (
    <span className={styles.name}>
      <code className={styles.policy}>{policy}</code>
      <span className={styles.level}>{levelWords(level)}</span>
    </span>
  );
}
