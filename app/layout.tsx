import type { Metadata, Viewport } from 'next';
import localFont from 'next/font/local';
import { cookies, headers } from 'next/headers';
import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { Notice } from './_components/ui/status';
import { ClientMessages } from './_i18n/client-messages';
import { LiveProvider } from './_live/live-provider';
import { EarlyClicks, FocusRule } from './_shell/early-input';
import { Header } from './_shell/header';
import appleIcon from './_shell/icons/apple-icon.png';
import icon from './_shell/icons/icon.svg';
import styles from './_shell/shell.module.css';
import { parseTheme, themeColors, themeCookie } from './_shell/theme';
import { ReplacedNote } from './_shell/user-change';
import { ApiProvider } from './_trpc/client';
import { getServer } from './_trpc/server';
import { ViewerProvider } from './_viewer/viewer-provider';
import './globals.css';

/**
 * The display face, as the CSS variable `--face`. `optional`: a page that has painted without it never changes its text.
 * The fallback is Arial with the widths and heights of the face.
 */
const displayFace = localFont({
  src: './_fonts/bricolage-grotesque-700.woff2',
  weight: '700',
  display: 'optional',
  variable: '--face',
  adjustFontFallback: 'Arial',
});

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('meta');
  const { language, publicOrigin } = (await getServer()).request();
  return {
    metadataBase: new URL(publicOrigin ?? `http://${(await headers()).get('host') ?? 'localhost'}`),
    title: { default: t('title'), template: `%s · ${t('name')}` },
    description: t('description'),
    applicationName: t('name'),
    // Files with a hash in their name, which browsers keep. The manifest has the same ones.
    icons: { icon: { url: icon.src, type: 'image/svg+xml', sizes: 'any' }, apple: appleIcon.src },
    openGraph: { type: 'website', siteName: t('name'), locale: language === 'zh' ? 'zh_CN' : 'en_GB' },
    twitter: { card: 'summary_large_image' },
    // Some phones show counts as telephone links.
    formatDetection: { telephone: false },
  };
}

export async function generateViewport(): Promise<Viewport> {
  return { themeColor: themeColors(parseTheme((await cookies()).get(themeCookie)?.value)) };
}

/** The frame of every page. The theme is a cookie on <html>, so that no script runs before the first paint. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const { language, user, demo, nonce } = (await getServer()).request();
  const theme = parseTheme((await cookies()).get(themeCookie)?.value);
  const t = await getTranslations('shell');
  return (
    <html lang={language} data-theme={theme} className={displayFace.variable}>
      <body>
        <script
          nonce={nonce}
          // Browsers hide the nonce from scripts, so React would report a difference.
          suppressHydrationWarning
          // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
          dangerouslySetInnerHTML={{ __html: keepEarlyClicks }}
        />
        <a className={styles.skip} href="#content">
          {t('skip')}
        </a>
        <FocusRule />
        <EarlyClicks />
        <ClientMessages only={['shell', 'identity', 'error']}>
          <ApiProvider>
            <LiveProvider>
              <ViewerProvider user={user} demo={demo}>
                <Header theme={theme} />
                <main id="content" className={styles.main} tabIndex={-1}>
                  <noscript>
                    <div className={styles.noScript}>
                      <Notice tone="warning">{t('noScript')}</Notice>
                    </div>
                  </noscript>
                  <ReplacedNote />
                  {children}
                </main>
              </ViewerProvider>
            </LiveProvider>
          </ApiProvider>
        </ClientMessages>
      </body>
    </html>
  );
}

/**
 * An inline script: until the page is interactive, keeps and marks each `Button` that is clicked, unless React has handled
 * the click. On a phone a button is visible for most of a second before its code has loaded.
 */
const keepEarlyClicks = `
earlyClicks = new Set();
addEventListener('click', ({ target, defaultPrevented }) => {
  const button = target.closest('[data-keep]');
  if (button && earlyClicks && !defaultPrevented) {
    earlyClicks.add(button);
    button.dataset.pressed = '';
  }
});`;
