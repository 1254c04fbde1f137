'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { lazy, Suspense } from 'react';
import styles from './identity-menu.module.css';
import { useViewer } from './viewer-provider';

/** Loaded for signed-in visitors only. */
const PersonMenu = lazy(() => import('./person-menu'));

/** Shows a sign-in link, or the menu of the signed-in user. */
export function IdentityMenu() {
  const t = useTranslations('identity');
  const { user } = useViewer();
  const path = usePathname();

  if (user) {
    return (
      <Suspense fallback={<span className={styles.soon}>{user.name}</span>}>
        <PersonMenu user={user} />
      </Suspense>
    );
  }
  const next = path === '/sign-in' ? '/' : path;
  return (
    <Link
      prefetch={false}
      className={styles.signIn}
      href={`/sign-in?next=${encodeURIComponent(next)}`}
      // Signing out removes the menu that had the focus.
      data-focus-next=""
    >
      {t('signIn')}
    </Link>
  );
}
