'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { lazy, Suspense, useEffect, useRef } from 'react';
import styles from './identity-menu.module.css';
import { useViewer } from './viewer-provider';

/** Only who is signed in loads it. */
const PersonMenu = lazy(() => import('./person-menu'));

/** Who one is: nobody yet, or somebody with a menu of what to do about it. */
export function IdentityMenu() {
  const t = useTranslations('identity');
  const { user } = useViewer();
  const path = usePathname();
  const link = useRef<HTMLAnchorElement>(null);
  const wasSomebody = useRef(user !== null);

  // The menu that somebody signed out by is gone, and the focus with it; the way back in takes its place.
  useEffect(() => {
    if (wasSomebody.current && !user && document.activeElement === document.body) link.current?.focus();
    wasSomebody.current = user !== null;
  }, [user]);

  if (user) {
    return (
      <Suspense fallback={<span className={styles.soon}>{user.name}</span>}>
        <PersonMenu user={user} />
      </Suspense>
    );
  }
  const next = path === '/sign-in' ? '/' : path;
  return (
    <Link ref={link} className={styles.signIn} href={`/sign-in?next=${encodeURIComponent(next)}`}>
      {t('signIn')}
    </Link>
  );
}
