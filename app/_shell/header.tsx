import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { getServer } from '../_trpc/server';
import styles from './header.module.css';
import { IdentityMenu } from './identity-menu';
import { LanguageLink } from './language-link';
import { Logo } from './logo';
import { NavLink, WalletLink } from './nav-link';
import type { Theme } from './theme';
import { ThemeButton } from './theme-button';

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
