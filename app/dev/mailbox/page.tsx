import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../../_components/ui/button';
import layout from '../../_components/ui/layout.module.css';
import { PageHead } from '../../_components/ui/page-parts';
import { ClientMessages } from '../../_i18n/client-messages';
import { MailboxList } from '../../_shell/mailbox-list';
import { getServer } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('mailbox');
  return { title: t('title'), robots: { index: false } };
}

/** Shows the codes that a demo would have sent. Anyone can read it, so it exists in demo mode only. */
export default async function MailboxPage() {
  const { demo } = (await getServer()).request();
  if (!demo) notFound();
  const t = await getTranslations('mailbox');
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div className={layout.stack4}>
        <ClientMessages only={['mailbox']}>
          <MailboxList />
        </ClientMessages>
        <p>
          <ButtonLink href="/sign-in">{t('toSignIn')}</ButtonLink>
        </p>
      </div>
    </>
  );
}
