import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { BlankPage } from '../_components/ui/blank-page';
import { ButtonLink } from '../_components/ui/button';
import { getServer } from '../_trpc/server';

/**
 * Returns the content that replaces an operator page: a sign-in link (401) for anonymous visitors, a notice (403) for
 * others, `undefined` for operators. The procedures check the role, too.
 */
export async function denyNonOperators(): Promise<ReactNode> {
  const server = await getServer();
  const { user, demo } = server.request();
  if (user?.role === 'admin') return undefined;
  server.setStatus(user ? 403 : 401);
  if (!user) {
    const t = await getTranslations('opsDenied.signedOut');
    return (
      <BlankPage tone="closed" title={t('title')} text={t('text')}>
        <ButtonLink href="/sign-in?next=/ops" variant="primary">
          {t('signIn')}
        </ButtonLink>
      </BlankPage>
    );
  }
  const t = await getTranslations('opsDenied.notForYou');
  return (
    <BlankPage tone="closed" title={t('title')} text={t(demo ? 'demoText' : 'text', { name: user.name })}>
      <ButtonLink href="/">{t('toSale')}</ButtonLink>
    </BlankPage>
  );
}

/** Returns the metadata of an operator page. Only operators see its title, and robots never index it. */
export async function operatorsMetadata(title: string): Promise<Metadata> {
  const t = await getTranslations('ops');
  const { user } = (await getServer()).request();
  return { title: user?.role === 'admin' ? title : t('title'), robots: { index: false } };
}
