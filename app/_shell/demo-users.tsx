'use client';

import { Check } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../_components/ui/button';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { problemOf } from '../_trpc/problem';
import { useViewer } from '../_viewer/viewer-provider';
import { demoIdentities } from './demo-identities';
import styles from './demo-users.module.css';

/** Buttons that switch to another demo user. `onSwitched`: called after each switch. */
export function DemoUsers({ onSwitched }: { onSwitched?: () => void }) {
  const t = useTranslations('identity');
  const { user, signInDemo } = useViewer();
  const [hasFailed, setHasFailed] = useState(false);

  async function switchTo(identity: (typeof demoIdentities)[number]): Promise<void> {
    setHasFailed(false);
    try {
      await signInDemo(identity);
      onSwitched?.();
    } catch (error) {
      if (problemOf(error).kind === 'broken') throw error;
      setHasFailed(true);
    }
  }

  return (
    <>
      <div className={styles.people}>
        {demoIdentities.map((identity) => {
          const isMe = identity.name === user?.name;
          return (
            <Button
              key={identity.name}
              className={styles.person}
              aria-current={isMe || undefined}
              closed={isMe}
              onClick={() => switchTo(identity)}
            >
              <span className={styles.initial} aria-hidden="true">
                {identity.name[0]}
              </span>
              <span className={styles.name}>
                {identity.name}{' '}
                <span className={styles.role}>{t('plan' in identity ? identity.plan : identity.role)}</span>
              </span>
              {isMe && <Check className={styles.end} size={16} aria-hidden="true" />}
            </Button>
          );
        })}
      </div>
      <p className={layout.hint}>{t('switchHint')}</p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {hasFailed && <Notice tone="warning">{t('failed')}</Notice>}
      </div>
    </>
  );
}
