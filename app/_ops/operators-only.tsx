import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { BlankPage } from '../_components/ui/blank-page';
import { ButtonLink } from '../_components/ui/button-link';
import { closePage, pageRequest } from '../_trpc/server';

/**
 * What a page of the operators shows in its place to who is none: the way to sign in, with 401, or that it is not for
 * them, with 403. `undefined` for operators. The procedures behind the page hold the same rule for themselves.
 */
export async function operatorsOnly(): Promise<ReactNode> {
  const { user, demo } = await pageRequest();
  if (user?.role === 'admin') return undefined;
  await closePage();
  if (!user) {
    const t = await getTranslations('ops.signedOut');
    return (
      <BlankPage title={t('title')} text={t('text')}>
        <ButtonLink href="/sign-in?next=/ops" variant="primary">
          {t('signIn')}
        </ButtonLink>
      </BlankPage>
    );
  }
  const t = await getTranslations('ops.notForYou');
  return (
    <BlankPage title={t('title')} text={t(demo ? 'demoText' : 'text', { name: user.name })}>
      <ButtonLink href="/">{t('toSale')}</ButtonLink>
    </BlankPage>
  );
}

/** The head of a page of the operators, with its own title for those who may see it. No page of theirs is for robots. */
export async function operatorsMetadata(title: string): Promise<Metadata> {
  const t = await getTranslations('ops');
  const { user } = await pageRequest();
  return { title: user?.role === 'admin' ? title : t('title'), robots: { index: false } };
}
