import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from '../../_i18n/client-messages';
import { MerchantDetail } from '../../_merchants/merchant-detail';
import { pageMetadata, type SearchParams } from '../../_shell/page-metadata';

interface Props {
  params: Promise<{ id: string }>;
  searchParams: SearchParams;
}

export async function generateMetadata({ params, searchParams }: Props): Promise<Metadata> {
  const t = await getTranslations('merchants');
  return pageMetadata({
    path: `/merchants/${(await params).id}`,
    searchParams,
    title: t('merchant'),
    description: t('merchantDescription'),
  });
}

/** Renders no merchant data, like the page of the list. */
export default async function MerchantPage({ params }: Pick<Props, 'params'>) {
  const { id } = await params;
  return (
    <ClientMessages
      only={['merchants', 'coupon', 'refusal', 'problem', 'storeDown', 'windows', 'curl', 'duration']}
    >
      <MerchantDetail id={decodeURIComponent(id)} />
    </ClientMessages>
  );
}
