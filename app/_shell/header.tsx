import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { getServer } from '../_trpc/server';
import styles from './header.module.css';
import { LanguageLink, NavLink, ThemeButton, WalletLink } from './header-controls';
import { IdentityMenu } from './identity-menu';
import type { Theme } from './theme';

/** The header of every page: navigation, language, theme, user. */
export async function Header({ theme }: { theme: Theme }) {
  const t = await getTranslations('shell');
  const tOps = await getTranslations('ops');
  const { user } = (await getServer()).request();
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <Link prefetch={false} href="/" className={styles.brand} aria-label={t('home')}>
          <Logo />
          <span className={styles.name}>Floodgate</span>
        </Link>
        <nav className={styles.nav} aria-label={t('navigation')}>
          <NavLink href="/">{t('sale')}</NavLink>
          <NavLink href="/merchants">{t('merchants')}</NavLink>
          <WalletLink>{t('wallet')}</WalletLink>
          <NavLink href="/lab">{t('lab')}</NavLink>
          {user?.role === 'admin' && <NavLink href="/ops">{tOps('nav')}</NavLink>}
        </nav>
        <div className={styles.tools}>
          <LanguageLink />
          <ThemeButton initial={theme} />
          <IdentityMenu />
        </div>
      </div>
    </header>
  );
}

/** The logo, as in icon.svg: a ticket that is a gauge. */
function Logo() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--logo)" />
      <path
        fill="var(--logo-ticket)"
        d="M10 4h12a3 3 0 0 1 3 3v4.5a2.5 2.5 0 0 0 0 5V25a3 3 0 0 1-3 3H10a3 3 0 0 1-3-3v-8.5a2.5 2.5 0 0 0 0-5V7a3 3 0 0 1 3-3z"
      />
      <path
        fill="var(--logo-water)"
        d="M7 20c1.5 0 1.5 1.6 3 1.6s1.5-1.6 3-1.6 1.5 1.6 3 1.6 1.5-1.6 3-1.6 1.5 1.6 3 1.6 1.5-1.6 3-1.6v5a3 3 0 0 1-3 3H10a3 3 0 0 1-3-3z"
      />
      <path
        fill="none"
        stroke="var(--logo)"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray="0.1 3.4"
        d="M10.8 14h11"
      />
    </svg>
  );
}
