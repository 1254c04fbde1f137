'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../_components/ui/button';
import { type Call, curlCommand } from './curl-command';
import styles from './curl-text.module.css';

/** The command, to read and to take along. */
export default function CurlText({ call }: { call: Call }) {
  const t = useTranslations('curl');
  const [isCopied, setIsCopied] = useState(false);
  const command = curlCommand(call, window.location.origin);
  // Secure contexts only: a demo opened over a LAN address selects and copies by hand.
  const clipboard: Clipboard | undefined = navigator.clipboard;

  async function copy(): Promise<void> {
    await clipboard?.writeText(command);
    setIsCopied(true);
  }

  return (
    <div className={styles.body}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.command} tabIndex={0}>
        <code>{command}</code>
      </pre>
      {call.signedIn && <p className={styles.hint}>{t('session')}</p>}
      {clipboard && (
        <Button onClick={copy}>
          <span role="status">{t(isCopied ? 'copied' : 'copy')}</span>
        </Button>
      )}
    </div>
  );
}
