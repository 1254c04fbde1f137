'use client';

import { useTranslations } from 'next-intl';
import { Command } from '../_components/ui/command';
import { type Call, curlCommand, getSessionCookieName } from './curl-command';
import styles from './curl-text.module.css';

/** Shows the command with a copy button. */
export function CurlText({ call }: { call: Call }) {
  const t = useTranslations('curl');
  const { origin } = window.location;
  return (
    <div className={styles.body}>
      <Command text={curlCommand(call, origin)} copy={t('copy')} copied={t('copied')} />
      {call.signedIn && (
        <p className={styles.hint}>{t('session', { cookie: getSessionCookieName(origin) })}</p>
      )}
    </div>
  );
}
