'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../_components/ui/button';
import { type Theme, themeCookie, themes } from './theme';
import styles from './theme-button.module.css';

const YEAR_SECONDS = 31_536_000;

/** Switches to the next theme. The page applies it at once, the server from the next request on. */
export function ThemeButton({ initial }: { initial: Theme }) {
  const t = useTranslations('shell.theme');
  const [theme, setTheme] = useState(initial);

  function next(): void {
    const chosen = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
    setTheme(chosen);
    document.documentElement.dataset.theme = chosen;
    // The Cookie Store API needs a secure context, which a LAN address is not.
    // biome-ignore lint/suspicious/noDocumentCookie: see above
    document.cookie = `${themeCookie}=${chosen}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  }

  return (
    <Button variant="quiet" onClick={next} aria-label={t(theme)} title={t(theme)}>
      <span className={styles.picture} />
    </Button>
  );
}
