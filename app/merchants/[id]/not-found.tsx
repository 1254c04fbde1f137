import { useTranslations } from 'next-intl';
import { BlankPage } from '../../_components/ui/blank-page';
import { ButtonLink } from '../../_components/ui/button';

/** Replaces the page of an unknown merchant. Its status is 404. */
export default function MissingMerchant() {
  const t = useTranslations('merchants');
  return (
    <BlankPage tone="lost" title={t('missing')} text={t('missingText')}>
      <ButtonLink href="/merchants" variant="primary">
        {t('back')}
      </ButtonLink>
    </BlankPage>
  );
}
