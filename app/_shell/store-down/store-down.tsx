import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/page-parts';
import { ClientMessages } from '../../_i18n/client-messages';
import { PageRetry } from './page-retry';

/** Replaces a page that the server could not render because a store is down. */
export async function StoreDown({ page }: { page: 'sale' | 'wallet' | 'ops' }) {
  const t = await getTranslations('storeDown');
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage tone="unavailable" title={t(`title.${page}`)} text={t(`text.${page}`)}>
        <PageRetry />
      </BlankPage>
    </ClientMessages>
  );
}
