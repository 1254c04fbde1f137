import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../_components/ui/button';
import layout from '../_components/ui/layout.module.css';
import { PageHead, Panel } from '../_components/ui/page-parts';
import { ClientMessages } from '../_i18n/client-messages';
import type { SearchParams } from '../_shell/page-metadata';
import { CodeSignIn } from '../_sign-in/code-sign-in';
import { DemoSignIn } from '../_sign-in/demo-sign-in';
import { sameSitePath } from '../_sign-in/same-site-path';
import styles from '../_sign-in/sign-in.module.css';
import { getServer } from '../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn');
  return { title: t('title') };
}

export default async function SignInPage({ searchParams }: { searchParams: SearchParams }) {
  const t = await getTranslations('signIn');
  const { user, demo } = (await getServer()).request();
  const next = sameSitePath((await searchParams).next);

  if (user && !demo) {
    return (
      <>
        <PageHead title={t('title')} lead={t('already', { name: user.name })} />
        <ButtonLink href={next}>{t('continue')}</ButtonLink>
      </>
    );
  }
  return (
    <>
      <PageHead
        title={t('title')}
        lead={
          <span className={styles.lead}>
            {demo && (
              <>
                {user ? t('alreadyDemo', { name: user.name }) : t('demoLead')}
                <br />
              </>
            )}
            {t('return', { page: next.split(/[/?#]/)[1] ?? '' })}
          </span>
        }
      />
      <ClientMessages only={['signIn', 'problem', 'refusal', 'duration', 'windows']}>
        <div className={styles.ways}>
          {demo && (
            <Panel>
              <h2 className={layout.title}>{t('byName')}</h2>
              <DemoSignIn next={next} />
            </Panel>
          )}
          <Panel>
            <h2 className={layout.title}>{t('byEmail')}</h2>
            <CodeSignIn next={next} />
          </Panel>
        </div>
      </ClientMessages>
    </>
  );
}
