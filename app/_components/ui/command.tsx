'use client';

import { useState } from 'react';
import { Button } from './button';
import styles from './command.module.css';

interface Props {
  text: string;
  /** What the button says, before and after. */
  copy: string;
  copied: string;
}

/** A command, to read and to take along. Render it in the browser only: whether there is a clipboard, it alone knows. */
export function Command({ text, copy, copied }: Props) {
  const [taken, setTaken] = useState<string>();
  // Secure contexts only: a page opened over a LAN address is selected and copied by hand.
  const clipboard: Clipboard | undefined = navigator.clipboard;

  async function take(): Promise<void> {
    await clipboard?.writeText(text);
    setTaken(text);
  }

  return (
    <div className={styles.body}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.command} tabIndex={0}>
        <code>{text}</code>
      </pre>
      {clipboard && (
        <Button onClick={take}>
          <span role="status">{taken === text ? copied : copy}</span>
        </Button>
      )}
    </div>
  );
}
