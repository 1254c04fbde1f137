'use client';

import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect } from 'react';
import { Notice } from '../_components/ui/status';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './shell.module.css';

interface Props {
  /** The user that the content was rendered for. */
  userId: string | undefined;
  children: ReactNode;
}

/** Longer than an answer usually takes. */
const RETRY_MS = 3_000;

/**
 * Shows content of one user only while the header shows the same one. A link renders a page for the user of the cookie, which
 * another tab may have changed, and keeps the header.
 */
export function ForUser({ userId, children }: Props) {
  const { user, reloadUser } = useViewer();
  const isShown = user?.id === userId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per user
  useEffect(() => {
    if (isShown) return;
    void reloadUser();
    // An answer may be lost, and nothing is shown without one.
    const timer = setInterval(() => void reloadUser(), RETRY_MS);
    return () => clearInterval(timer);
  }, [isShown, user?.id, userId]);
  return isShown && children;
}

/** Explains that the page shows another user than a moment ago, until the visitor opens another page. */
export function ReplacedNote() {
  const t = useTranslations('identity');
  const { user, replacedOn } = useViewer();
  const path = usePathname();
  return (
    <div role="status" className={styles.replaced}>
      {replacedOn === path && (
        <Notice tone="warning">{user ? t('replaced', { name: user.name }) : t('ended')}</Notice>
      )}
    </div>
  );
}
