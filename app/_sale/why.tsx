import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './result-note.module.css';

const RefusalDrawing = dynamic(async () => (await import('./refusal-drawing')).RefusalDrawing, {
  loading: () => null,
});

interface Props {
  refusal: PolicyRefusal;
  /** The refusal has ended. */
  isOver: boolean;
  onToggle?(isOpen: boolean): void;
}

/** Scrolls a part into view: the bar of a phone covers the end of the screen. */
function showAll(part: Element | null): void {
  part?.scrollIntoView({ block: 'nearest' });
}

/**
 * An expandable drawing of the hits that filled the window. It loads when opened. Only a sliding log stores its hits,
 * so other algorithms show nothing.
 */
export function Why({ refusal, isOver, onToggle }: Props) {
  const t = useTranslations('why');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details
      className={styles.why}
      onToggle={({ currentTarget }) => {
        setWasOpened(true);
        if (currentTarget.open) showAll(currentTarget);
        onToggle?.(currentTarget.open);
      }}
    >
      <summary>{t('title')}</summary>
      {wasOpened && (
        <div className={isOver ? styles.over : undefined}>
          <RefusalDrawing ref={showAll} refusal={refusal} isOver={isOver} />
        </div>
      )}
    </details>
  );
}
