'use client';

import { ChevronDown, CircleUserRound } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { problemOf } from '../_trpc/problem';
import type { User } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { demoIdentities } from './demo-identities';
import { DemoUsers } from './demo-users';
import styles from './person-menu.module.css';

/** The menu of the signed-in user: sign out, and in a demo switch user. */
export function PersonMenu({ user }: { user: User }) {
  const t = useTranslations('identity');
  const { demo, signOut } = useViewer();
  const menuId = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [wasOpened, setWasOpened] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    // It was opened before the page was interactive.
    if (menu.current?.matches(':popover-open')) setWasOpened(true);
  }, []);

  function close(): void {
    menu.current?.hidePopover();
  }

  async function handleSignOut(): Promise<void> {
    setHasFailed(false);
    try {
      await signOut();
      close();
    } catch (error) {
      if (problemOf(error).kind === 'broken') throw error;
      setHasFailed(true);
    }
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
        <span className={styles.name}>{user.name}</span>
        <ChevronDown size={16} aria-hidden="true" />
      </Button>
      {/* Its content renders when it first opens: in the load of a page it would be one long task. */}
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className={styles.menu}
        onBeforeToggle={() => setWasOpened(true)}
      >
        {wasOpened && (
          <>
            <p className={styles.who}>{t('signedInAs', { name: user.name })}</p>
            {demo && isGuest(user) && <p className={layout.hint}>{t('guest')}</p>}
            {demo && (
              <div className={styles.others}>
                <h2 className={styles.title}>{t('switch')}</h2>
                <DemoUsers onSwitched={close} />
              </div>
            )}
            <Button variant="quiet" wide onClick={handleSignOut}>
              {t('signOut')}
            </Button>
            <div role="status" className={styles.status}>
              {hasFailed && <Notice tone="warning">{t('failed')}</Notice>}
            </div>
          </>
        )}
      </div>
    </>
  );
}

/** Returns true for a shopper with a random name, whom only the cookie of this browser can sign in. */
function isGuest({ email, name }: User): boolean {
  return email === undefined && demoIdentities.every((identity) => identity.name !== name);
}
