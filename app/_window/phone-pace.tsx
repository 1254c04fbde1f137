import { lazy, Suspense, useSyncExternalStore } from 'react';
import styles from './phone-pace.module.css';

/** Not needed before the first click. */
const PaceBars = lazy(() => import('./pace-bars'));

/** Shows the two windows of a policy as thin bars on a phone; on wider screens the meters are in view. */
export function PhonePace({ policy }: { policy: string }) {
  const isPhone = useSyncExternalStore(onWidthChange, isNarrow, () => false);
  return (
    <div className={styles.space}>
      {isPhone && (
        <Suspense>
          <PaceBars policy={policy} />
        </Suspense>
      )}
    </div>
  );
}

/** As in the style sheets. */
const narrow = '(width < 48rem)';

function onWidthChange(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function isNarrow(): boolean {
  return matchMedia(narrow).matches;
}
