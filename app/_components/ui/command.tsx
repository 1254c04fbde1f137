'use client';

import { useState } from 'react';
import { Button } from './button';
import { classNames } from './class-names';
import styles from './command.module.css';
import layout from './layout.module.css';

interface Props {
  text: string;
  /** The text of the button before and after copying. */
  copy: string;
  copied: string;
}

/** Shows a command with a copy button. Render it in the browser only: it checks for a clipboard. */
export function Command({ text, copy, copied }: Props) {
  const [copiedText, setCopiedText] = useState<string>();
  const isCopied = copiedText === text;
  // The clipboard exists in secure contexts only. On a LAN address, users select and copy by hand.
  const clipboard: Clipboard | undefined = navigator.clipboard;

  async function copyText(): Promise<void> {
    await clipboard?.writeText(text);
    setCopiedText(text);
  }

  return (
    <div className={classNames(layout.stack2, styles.body)}>
      <pre className={styles.command}>
        <code>{text}</code>
      </pre>
      {clipboard && <Button onClick={copyText}>{isCopied ? copied : copy}</Button>}
      <span role="status" className={layout.visuallyHidden}>
        {isCopied && copied}
      </span>
    </div>
  );
}
