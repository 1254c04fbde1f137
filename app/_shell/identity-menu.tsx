'use client';

import { ChevronDown, CircleUserRound } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import type { User } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './header.module.css';

const UserMenu = dynamic(async () => (await import('./user-menu')).UserMenu, { loading: () => null });

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
      className={classNames(styles.link, styles.signIn)}
      href={`/sign-in?next=${encodeURIComponent(next)}`}
      // Signing out removes the menu that had the focus.
      data-focus-next=""
    >
      {t('signIn')}
    </Link>
  );
}

/** The menu of the signed-in user: sign out, and in a demo switch user. */
function PersonMenu({ user }: { user: User }) {
  const t = useTranslations('identity');
  const menuId = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [wasOpened, setWasOpened] = useState(false);

  useEffect(() => {
    // It was opened before the page was interactive.
    if (menu.current?.matches(':popover-open')) setWasOpened(true);
  }, []);

  function close(): void {
    menu.current?.hidePopover();
  }

  return (
    <>
      <Button
        variant="quiet"
        className={styles.me}
        popoverTarget={menuId}
        aria-label={t('signedInAs', { name: user.name })}
      >
        <CircleUserRound size={20} className={styles.narrow} aria-hidden="true" />
        <span className={styles.person}>{user.name}</span>
        <ChevronDown size={16} aria-hidden="true" />
      </Button>
      {/* Its content renders when it first opens: in the load of a page it would be one long task. */}
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className={classNames(layout.card, styles.menu)}
        onBeforeToggle={() => setWasOpened(true)}
      >
        {wasOpened && <UserMenu user={user} close={close} />}
      </div>
    </>
  );
}
