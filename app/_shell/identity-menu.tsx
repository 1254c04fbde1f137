'use client';

import dynamic from 'next/dynamic';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { classNames } from '../_components/ui/class-names';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './header.module.css';

/** For signed-in visitors. */
const UserMenu = dynamic(async () => (await import('./user-menu')).UserMenu, { loading: () => null });

/** Shows a sign-in link, or the menu of the signed-in user. */
export function IdentityMenu() {
  const t = useTranslations('identity');
  const { user } = useViewer();
  const path = usePathname();

  if (user) return <UserMenu user={user} />;
  const next = path === '/sign-in' ? '/' : path;
  return (
    <Link
      prefetch={false}
      className={classNames(styles.link, styles.signIn)}
      href={`/sign-in?next=${encodeURIComponent(next)}`}
      // Signing out removes the menu that had the focus.
      data-focus-next=""
    >
      {t('signIn')}
    </Link>
  );
}
