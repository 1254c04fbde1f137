import { useTranslations } from 'next-intl';
import { lazy, Suspense, useState } from 'react';
import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import type { RefusalData } from '../_trpc/types';
import type { ActiveRefusal } from '../_window/refusals';
import styles from './refused-note.module.css';

/** Loaded when opened. */
const RefusalDrawing = lazy(() => import('./refusal-drawing'));

interface Props {
  refusal: RefusalData;
  message: string;
  standing: ActiveRefusal | undefined;
}

/** States the limit that refused a click, with an expandable explanation. */
export function RefusedNote({ refusal, message, standing }: Props) {
  return (
    <Notice tone="refused">
      <RefusalNote refusal={refusal} message={message} />
      {refusal.reason === 'limited' && standing && <Why refusal={standing} />}
    </Notice>
  );
}

/**
 * An expandable drawing of the hits that filled the window. It loads when opened. Only a sliding log knows its hits,
 * so other algorithms show nothing.
 */
export function Why({ refusal }: { refusal: ActiveRefusal }) {
  const t = useTranslations('refusal');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details className={styles.why} onToggle={() => setWasOpened(true)}>
      <summary>{t('why')}</summary>
      {wasOpened && (
        <Suspense fallback={<div className={styles.reserved} />}>
          <RefusalDrawing refusal={refusal} />
        </Suspense>
      )}
    </details>
  );
}
