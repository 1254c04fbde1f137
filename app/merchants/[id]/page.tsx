import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from '../../_i18n/client-messages';
import { MerchantDetail } from '../../_merchants/merchant-detail';
import { pageMetadata, type SearchParams } from '../../_shell/page-metadata';
import { getServer } from '../../_trpc/server';

interface Props {
  params: Promise<{ id: string }>;
  searchParams: SearchParams;
}

export async function generateMetadata({ params, searchParams }: Props): Promise<Metadata> {
  const t = await getTranslations('merchants');
  const { id } = await params;
  const server = await getServer();
  if (!(await server.merchantExists(decodeURIComponent(id)))) return { title: t('missing') };
  return pageMetadata({
    path: `/merchants/${id}`,
    searchParams,
    title: t('merchant'),
    description: t('merchantDescription'),
  });
}

/** Renders no merchant data, like the page of the list. Answers 404 for an unknown id. */
export default async function MerchantPage({ params }: Pick<Props, 'params'>) {
  const id = decodeURIComponent((await params).id);
  const server = await getServer();
  if (!(await server.merchantExists(id))) notFound();
  return (
    <ClientMessages only={['merchants', 'coupon', 'refusal', 'problem', 'storeDown', 'windows', 'duration']}>
      <MerchantDetail id={id} />
    </ClientMessages>
  );
}
