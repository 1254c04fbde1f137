import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from './_components/ui/page-head';
import { ClientMessages } from './_i18n/client-messages';
import { EmbeddedMeter } from './_sale/embedded-meter';
import { SaleBoard } from './_sale/sale-board';
import { pageMetadata, type SearchParams } from './_shell/page-metadata';
import { StoreDown } from './_store-down/store-down';
import { readStore } from './_trpc/server';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('meta');
  return pageMetadata({ path: '/', searchParams, description: t('description') });
}

export default async function SalePage({ searchParams }: { searchParams: SearchParams }) {
  const { embed } = await searchParams;
  if (typeof embed === 'string') {
    return (
      <ClientMessages only={['windows', 'duration']}>
        <EmbeddedMeter policy={embed} />
      </ClientMessages>
    );
  }
  const list = await readStore((caller) => caller.coupon.list());
  if (!list) return <StoreDown page="sale" />;
  const t = await getTranslations('sale');
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages
        only={[
          'sale',
          'coupon',
          'outcome',
          'refusal',
          'problem',
          'windows',
          'crowd',
          'taps',
          'curl',
          'duration',
        ]}
      >
        <SaleBoard {...list} />
      </ClientMessages>
    </>
  );
}
