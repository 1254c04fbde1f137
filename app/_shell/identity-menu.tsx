'use client';

import { ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useId, useRef, useState } from 'react';
import { Badge } from '../_components/ui/badge';
import { Button } from '../_components/ui/button';
import { Notice } from '../_components/ui/notice';
import { problemOf } from '../_trpc/problem';
import { demoIdentities } from '../_viewer/demo-identities';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './identity-menu.module.css';

/** Who one is: signed out, or a name with the way out, and in a demo the way into somebody else. */
export function IdentityMenu() {
  const t = useTranslations('identity');
  const { user, demo, signInDemo, signOut } = useViewer();
  const path = usePathname();
  const menuId = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(false);

  if (!user) {
    const next = path === '/sign-in' ? '/' : path;
    return (
      <Link className={styles.signIn} href={`/sign-in?next=${encodeURIComponent(next)}`}>
        {t('signIn')}
      </Link>
    );
  }

  async function change(turn: Promise<void>): Promise<void> {
    setHasFailed(false);
    try {
      await turn;
      menu.current?.hidePopover();
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
        <span className={styles.name}>{user.name}</span>
        <ChevronDown size={16} aria-hidden="true" />
      </Button>
      <div ref={menu} id={menuId} popover="auto" className={styles.menu}>
        <p className={styles.who}>{t('signedInAs', { name: user.name })}</p>
        {demo && (
          <div className={styles.others}>
            <h2 className={styles.title}>{t('switch')}</h2>
            <p className={styles.hint}>{t('switchHint')}</p>
            {demoIdentities.map((identity) => (
              <Button key={identity.name} wide onClick={() => change(signInDemo(identity))}>
                {identity.name}
                {identity.role === 'admin' && <Badge>{t('admin')}</Badge>}
              </Button>
            ))}
          </div>
        )}
        <Button variant="quiet" wide onClick={() => change(signOut())}>
          {t('signOut')}
        </Button>
        <div role="status">{hasFailed && <Notice tone="warning">{t('failed')}</Notice>}</div>
      </div>
    </>
  );
}
