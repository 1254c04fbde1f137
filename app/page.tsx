import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from './_components/ui/page-head';
import { ClientMessages } from './_i18n/client-messages';
import { SaleBoard } from './_sale/sale-board';
import { pageMetadata, type SearchParams } from './_shell/page-metadata';
import { ReadRefused } from './_shell/store-down/read-refused';
import { StoreDown } from './_shell/store-down/store-down';
import { listPolicyLevels, readLimited } from './_trpc/server';
import { EmbeddedMeter } from './_window/embedded-meter';
import { formatClaimLimit, formatSaleLimits } from './_window/format-limits';
import { LiveLead } from './_window/live-lead';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('meta');
  return pageMetadata({ path: '/', searchParams, description: t('description') });
}

export default async function SalePage({ searchParams }: { searchParams: SearchParams }) {
  const { embed } = await searchParams;
  if (typeof embed === 'string') {
    return (
      <ClientMessages only={['windows', 'duration']}>
        <EmbeddedMeter of={embed} />
      </ClientMessages>
    );
  }
  const list = await readLimited((caller) => caller.coupon.list());
  if (list.kind === 'refused') return <ReadRefused {...list.refusal} />;
  if (list.kind === 'store-down') return <StoreDown page="sale" />;
  const [t, limits, duration, seckill, claim, [crowd]] = await Promise.all([
    getTranslations('sale'),
    getTranslations('limits'),
    getTranslations('duration'),
    listPolicyLevels('coupon.seckill'),
    listPolicyLevels('coupon.claim'),
    listPolicyLevels('demo.crowd'),
  ]);
  const claimsLead = <LiveLead kind="claim">{formatClaimLimit({ limits, duration }, claim)}</LiveLead>;
  return (
    <ClientMessages
      only={[
        'sale',
        'coupon',
        'outcome',
        'refusal',
        'problem',
        'windows',
        'limits',
        'crowd',
        'taps',
        'curl',
        'duration',
      ]}
    >
      <PageHead
        title={t('title')}
        lead={<LiveLead kind="seckill">{formatSaleLimits({ limits, duration }, seckill)}</LiveLead>}
      />
      <SaleBoard {...list.data} claimsLead={claimsLead} crowdLimit={crowd} />
    </ClientMessages>
  );
}
