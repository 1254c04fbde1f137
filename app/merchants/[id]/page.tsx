import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from '../../_i18n/client-messages';
import { MerchantDetail } from '../../_merchants/merchant-detail';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('merchants');
  return { title: t('merchant') };
}

/** Holds no merchant: see the page above. */
export default async function MerchantPage({ params }: Props) {
  const { id } = await params;
  return (
    <ClientMessages only={['merchants', 'coupon', 'refusal', 'problem', 'duration']}>
      <MerchantDetail id={decodeURIComponent(id)} />
    </ClientMessages>
  );
}
