'use client';

import { useMutation } from '@tanstack/react-query';
import { Check, ChevronDown, CircleUserRound } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { problemOf } from '../_trpc/problem';
import type { User } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './header.module.css';

/** The demo users. The same name is always the same shopper. Vera has a limit of her own: see server/demo/seed.ts. */
export const demoIdentities = [
  { name: 'Ada', role: 'shopper' },
  { name: 'Bram', role: 'shopper' },
  { name: 'Chen', role: 'shopper' },
  { name: 'Vera', role: 'shopper', plan: 'vip' },
  { name: 'Dara', role: 'admin' },
] as const;

export type DemoIdentity = (typeof demoIdentities)[number];

/** The menu of the signed-in user: sign out, and in a demo switch user. */
export function UserMenu({ user }: { user: User }) {
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
        {wasOpened && <MenuContent user={user} close={close} />}
      </div>
    </>
  );
}

interface ContentProps {
  user: User;
  close(): void;
}

function MenuContent({ user, close }: ContentProps) {
  const t = useTranslations('identity');
  const { demo, signOut } = useViewer();
  const leave = useMutation({ mutationFn: signOut, onSuccess: close, throwOnError: isBroken });
  return (
    <>
      <p className={styles.who}>{t('signedInAs', { name: user.name })}</p>
      {demo && isGuest(user) && <p className={layout.hint}>{t('guest')}</p>}
      {demo && (
        <div className={classNames(layout.stack2, layout.below3)}>
          <h2 className={styles.title}>{t('switch')}</h2>
          <DemoUsers onSwitched={close} />
        </div>
      )}
      <Button variant="quiet" wide onClick={() => leave.mutate()}>
        {t('signOut')}
      </Button>
      <div role="status" className={styles.status}>
        {leave.isError && <Notice tone="warning">{t('failed')}</Notice>}
      </div>
    </>
  );
}

/** Returns true for a shopper with a random name, whom only the cookie of this browser can sign in. */
function isGuest({ email, name }: User): boolean {
  return email === undefined && demoIdentities.every((identity) => identity.name !== name);
}

/** Buttons that switch to another demo user. `onSwitched`: called after each switch. */
export function DemoUsers({ onSwitched }: { onSwitched?: () => void }) {
  const t = useTranslations('identity');
  const { user, signInDemo } = useViewer();
  const signIn = useMutation({
    mutationFn: (identity: DemoIdentity) => signInDemo(identity),
    onSuccess: () => onSwitched?.(),
    throwOnError: isBroken,
  });

  return (
    <>
      <div className={styles.people}>
        {demoIdentities.map((identity) => {
          const isMe = identity.name === user?.name;
          return (
            <Button
              key={identity.name}
              className={styles.demoUser}
              aria-current={isMe || undefined}
              closed={isMe}
              onClick={() => signIn.mutate(identity)}
            >
              <span
                className={classNames(layout.accentFill, layout.small, styles.initial)}
                aria-hidden="true"
              >
                {identity.name[0]}
              </span>
              <span className={styles.demoName}>
                {identity.name}{' '}
                <span className={classNames(layout.hint, styles.role)}>
                  {t('plan' in identity ? identity.plan : identity.role)}
                </span>
              </span>
              {isMe && <Check className={styles.end} size={16} aria-hidden="true" />}
            </Button>
          );
        })}
      </div>
      <p className={layout.hint}>{t('switchHint')}</p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {signIn.isError && <Notice tone="warning">{t('failed')}</Notice>}
      </div>
    </>
  );
}

/** Returns true for a fault of this code, which the error page shows. */
function isBroken(error: Error): boolean {
  return problemOf(error).kind === 'broken';
}
