import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { BlankPage } from './_components/ui/blank-page';
import { ButtonLink } from './_components/ui/button-link';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('notFound');
  return { title: t('title') };
}

export default async function NotFound() {
  const t = await getTranslations('notFound');
  return (
    <BlankPage title={t('title')} text={t('text')}>
      <ButtonLink href="/" variant="primary">
        {t('toSale')}
      </ButtonLink>
    </BlankPage>
  );
}
