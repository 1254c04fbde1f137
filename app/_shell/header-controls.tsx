'use client';

import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ComponentProps, useEffect, useId, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { useLanguage } from '../_i18n/language';
import { readStored, writeStored } from '../_live/browser-storage';
import { WalletCount } from '../_orders/wallet-count';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './header.module.css';
import { type Theme, themeCookie, themes } from './theme';

interface LinkProps extends Pick<ComponentProps<'a'>, 'aria-labelledby' | 'children'> {
  href: string;
}

/** A navigation link, marked on its page and below it. */
export function NavLink({ href, ...rest }: LinkProps) {
  const isHere = `${usePathname()}/`.startsWith(`${href}/`);
  return (
    <Link
      prefetch={false}
      href={href}
      className={classNames(styles.link, styles.navLink)}
      aria-current={isHere ? 'page' : undefined}
      {...rest}
    />
  );
}

/** The link to the wallet, for a signed-in visitor with the number of coupons. */
export function WalletLink({ children }: Pick<LinkProps, 'children'>) {
  const { user } = useViewer();
  const nameId = useId();
  return (
    <NavLink href="/wallet" aria-labelledby={user ? nameId : undefined}>
      {children}
      {user && <WalletCount nameId={nameId} />}
    </NavLink>
  );
}

const LANGUAGE_ID = 'language';

/** The key of the scroll position in the storage of the tab. */
const SCROLL_KEY = 'floodgate-scroll';

/**
 * Links this page in the other language. A full load, because all texts come from the server. The fragment returns the
 * focus to this link; the address bar does not keep it. The scroll position stays.
 */
export function LanguageLink() {
  const t = useTranslations('shell');
  const path = usePathname();
  const search = useSearchParams();
  const other = useLanguage() === 'en' ? 'zh' : 'en';

  useEffect(() => {
    const { hash, pathname, search } = window.location;
    if (hash !== `#${LANGUAGE_ID}`) return;
    // Without the fragment, a browser that has not moved the focus yet would not.
    document.getElementById(LANGUAGE_ID)?.focus({ preventScroll: true });
    window.scrollTo(0, Number(readStored(SCROLL_KEY, 'sessionStorage')));
    window.history.replaceState(null, '', pathname + search);
  }, []);

  const query = new URLSearchParams(search);
  query.set('lang', other);
  return (
    <a
      id={LANGUAGE_ID}
      className={classNames(styles.link, styles.language)}
      href={`${path}?${query}#${LANGUAGE_ID}`}
      hrefLang={other}
      lang={other}
      onClick={() => writeStored(SCROLL_KEY, String(window.scrollY), 'sessionStorage')}
    >
      {t('otherLanguage')}
    </a>
  );
}

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
      <span className={styles.themePicture} />
    </Button>
  );
}
