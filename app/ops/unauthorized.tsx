import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../_components/ui/blank-page';
import { ButtonLink } from '../_components/ui/button-link';

/** For who is nobody yet. */
export default async function SignInFirst() {
  const t = await getTranslations('ops.signedOut');
  return (
    <BlankPage title={t('title')} text={t('text')}>
      <ButtonLink href="/sign-in?next=/ops" variant="primary">
        {t('signIn')}
      </ButtonLink>
    </BlankPage>
  );
}
