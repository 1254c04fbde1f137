import { useSyncExternalStore } from 'react';
import PaceBars from './pace-bars';

/** Shows the two windows of a policy as thin bars on a phone; on wider screens the meters are in view. */
export default function PhonePace({ policy }: { policy: string }) {
  const isPhone = useSyncExternalStore(onWidthChange, isNarrow, () => false);
  return isPhone && <PaceBars policy={policy} />;
}

/** The same as in the style sheets. */
const narrow = '(width < 48rem)';

function onWidthChange(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function isNarrow(): boolean {
  return matchMedia(narrow).matches;
}
