import { useTranslations } from 'next-intl';
import { lazy, Suspense, useState } from 'react';
import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import type { RefusalData } from '../_trpc/types';
import type { StandingRefusal } from '../_window/refusals';
import styles from './refused-note.module.css';

/** For who asks. */
const RefusalDrawing = lazy(() => import('./refusal-drawing'));

interface Props {
  refusal: RefusalData;
  message: string;
  standing: StandingRefusal | undefined;
}

/** Which rule refused a click, and, for who asks, what it counted. */
export function RefusedNote({ refusal, message, standing }: Props) {
  return (
    <Notice tone="refused">
      <RefusalNote refusal={refusal} message={message} />
      {refusal.reason === 'limited' && standing && <Why refusal={standing} />}
    </Notice>
  );
}

/**
 * Draws the hits that filled the window. Nothing of it is loaded before it is opened. Only a sliding log knows its hits,
 * so a level that counts otherwise shows nothing.
 */
export function Why({ refusal }: { refusal: StandingRefusal }) {
  const t = useTranslations('refusal');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details className={styles.why} onToggle={() => setWasOpened(true)}>
      <summary>{t('why')}</summary>
      {wasOpened && (
        <Suspense fallback={<div className={styles.place} />}>
          <RefusalDrawing refusal={refusal} />
        </Suspense>
      )}
    </details>
  );
}
