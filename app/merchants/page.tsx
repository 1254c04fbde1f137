import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../_components/ui/page-parts';
import { ClientMessages } from '../_i18n/client-messages';
import { MerchantSearch } from '../_merchants/merchant-search';
import { pageMetadata, type SearchParams } from '../_shell/page-metadata';
import { getServer } from '../_trpc/server';
import { formatAddressLimit } from '../_window/format-limits';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('merchants');
  return pageMetadata({
    path: '/merchants',
    searchParams,
    title: t('title'),
    description: t('description'),
  });
}

/**
 * Renders no merchant data: the browser fetches it through the limited procedure, so that the limit has no bypass.
 */
export default async function MerchantsPage() {
  const [server, t, limits, duration] = await Promise.all([
    getServer(),
    getTranslations('merchants'),
    getTranslations('limits'),
    getTranslations('duration'),
  ]);
  const limit = formatAddressLimit({ limits, duration }, server.listEnforcedLevels('merchant'));
  return (
    <>
      <PageHead title={t('title')} />
      <ClientMessages only={['merchants', 'refusal', 'problem', 'storeDown', 'windows', 'duration']}>
        <MerchantSearch rule={limit} />
      </ClientMessages>
    </>
  );
}
