'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import styles from '../_components/ui/controls.module.css';
import layout from '../_components/ui/layout.module.css';

/** A call of a procedure. */
export interface Call {
  type: 'query' | 'mutation';
  path: string;
  input: Record<string, string>;
  /** The caller must be signed in. */
  signedIn: boolean;
}

/** Shows the call that a window counts, for engineers; closed by default. */
export function CurlDetails({ call }: { call: Call }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details className={classNames(layout.hint, styles.curl)} onToggle={() => setWasOpened(true)}>
      <summary className={styles.summary}>
        curl <code>{call.path}</code>
      </summary>
      {wasOpened && <Command call={call} />}
    </details>
  );
}

/** Shows the command with a copy button. Renders in the browser only: it checks for a clipboard. */
function Command({ call }: { call: Call }) {
  const t = useTranslations('curl');
  const [copiedText, setCopiedText] = useState<string>();
  const { origin } = window.location;
  const text = curlCommand(call, origin);
  const isCopied = copiedText === text;
  // The clipboard exists in secure contexts only. On a LAN address, users select and copy by hand.
  const clipboard: Clipboard | undefined = navigator.clipboard;

  async function copyText(): Promise<void> {
    await clipboard?.writeText(text);
    setCopiedText(text);
  }

  return (
    <div className={classNames(layout.stack2, styles.curlBody)}>
      <pre className={styles.command}>
        <code>{text}</code>
      </pre>
      {clipboard && <Button onClick={copyText}>{t(isCopied ? 'copied' : 'copy')}</Button>}
      <span role="status" className={layout.visuallyHidden}>
        {isCopied && t('copied')}
      </span>
      {call.signedIn && <p>{t('session', { cookie: getSessionCookieName(origin) })}</p>}
    </div>
  );
}

/** Returns the call as a shell command. `-i` shows the header fields with the state of each window. */
export function curlCommand({ type, path, input, signedIn }: Call, origin: string): string {
  const json = JSON.stringify(input);
  const url = `${origin}/api/trpc/${path}`;
  const lines = [
    `curl -i ${quoteForShell(type === 'query' ? `${url}?input=${encodeURIComponent(json)}` : url)}`,
    signedIn && `-H ${quoteForShell(`cookie: ${getSessionCookieName(origin)}=YOUR-SESSION`)}`,
    type === 'mutation' && `-H ${quoteForShell('content-type: application/json')}`,
    type === 'mutation' && `-d ${quoteForShell(json)}`,
  ];
  return lines.filter(Boolean).join(' \\\n  ');
}

/** Returns the name of the session cookie: with the `__Host-` prefix over HTTPS. A test compares it with the server's. */
export function getSessionCookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Host-floodgate_session' : 'floodgate_session';
}

/** Quotes a word for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
