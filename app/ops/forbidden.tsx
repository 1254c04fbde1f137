import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../_components/ui/blank-page';
import { ButtonLink } from '../_components/ui/button-link';
import { pageRequest } from '../_trpc/server';

/** For who is signed in, and no operator. */
export default async function NotForYou() {
  const t = await getTranslations('ops.notForYou');
  const { user, demo } = await pageRequest();
  return (
    <BlankPage title={t('title')} text={t(demo ? 'demoText' : 'text', { name: user?.name ?? '' })}>
      <ButtonLink href="/">{t('toSale')}</ButtonLink>
    </BlankPage>
  );
}
