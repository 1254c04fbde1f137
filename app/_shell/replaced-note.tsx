'use client';

import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { Notice } from '../_components/ui/status';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './replaced-note.module.css';

/** Explains that the page shows another user than a moment ago, until the visitor opens another page. */
export function ReplacedNote() {
  const t = useTranslations('identity');
  const { user, replacedOn } = useViewer();
  const path = usePathname();
  return (
    <div role="status" className={styles.note}>
      {replacedOn === path && (
        <Notice tone="warning">{user ? t('replaced', { name: user.name }) : t('ended')}</Notice>
      )}
    </div>
  );
}
