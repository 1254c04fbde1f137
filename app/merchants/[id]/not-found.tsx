import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/blank-page';
import { ButtonLink } from '../../_components/ui/button-link';

/** Replaces the page of an unknown merchant. Its status is 404. */
export default async function MerchantNotFound() {
  const t = await getTranslations('merchants');
  return (
    <BlankPage title={t('missing')} text={t('missingText')}>
      <ButtonLink href="/merchants" variant="primary">
        {t('back')}
      </ButtonLink>
    </BlankPage>
  );
}
