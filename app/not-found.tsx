import { getTranslations } from 'next-intl/server';
import { ButtonLink } from './_components/ui/button-link';
import { PageHead } from './_components/ui/page-head';

export default async function NotFound() {
  const t = await getTranslations('notFound');
  return (
    <>
      <PageHead title={t('title')} lead={t('text')} />
      <ButtonLink href="/">{t('toSale')}</ButtonLink>
    </>
  );
}
