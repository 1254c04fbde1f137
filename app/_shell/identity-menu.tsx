'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './identity-menu.module.css';
import { PersonMenu } from './person-menu';

/** Shows a sign-in link, or the menu of the signed-in user. */
export function IdentityMenu() {
  const t = useTranslations('identity');
  const { user } = useViewer();
  const path = usePathname();

  if (user) return <PersonMenu user={user} />;
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
