import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { BlankPage } from './_components/ui/blank-page';
import { ButtonLink } from './_components/ui/button';
import layout from './_components/ui/layout.module.css';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('notFound');
  return { title: t('title') };
}

export default async function NotFound() {
  const t = await getTranslations('notFound');
  return (
    <BlankPage tone="lost" title={t('title')} text={t('text')}>
      <div className={layout.row2}>
        <ButtonLink href="/" variant="primary">
          {t('toSale')}
        </ButtonLink>
        <ButtonLink href="/merchants">{t('toMerchants')}</ButtonLink>
      </div>
    </BlankPage>
  );
}
