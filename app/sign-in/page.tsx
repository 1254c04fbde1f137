import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../_components/ui/button-link';
import { PageHead } from '../_components/ui/page-head';
import { ClientMessages } from '../_i18n/client-messages';
import { DemoSignIn } from '../_sign-in/demo-sign-in';
import { sameSitePath } from '../_sign-in/same-site-path';
import { pageRequest } from '../_trpc/server';

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn');
  return { title: t('title') };
}

export default async function SignInPage({ searchParams }: Props) {
  const t = await getTranslations('signIn');
  const { user, demo } = await pageRequest();
  const next = sameSitePath((await searchParams).next);

  if (demo) {
    return (
      <>
        <PageHead title={t('title')} lead={t('demoLead')} />
        <ClientMessages only={['signIn', 'problem', 'refusal', 'duration']}>
          <DemoSignIn next={next} />
        </ClientMessages>
      </>
    );
  }
  if (!user) return <PageHead title={t('title')} lead={t('noDemo')} />;
  return (
    <>
      <PageHead title={t('title')} lead={t('already', { name: user.name })} />
      <ButtonLink href={next}>{t('continue')}</ButtonLink>
    </>
  );
}
