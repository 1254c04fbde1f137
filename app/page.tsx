import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from './_i18n/client-messages';
import type { Messages } from './_i18n/messages';
import { SaleBoard } from './_sale/sale-board';
import { pageMetadata, type SearchParams } from './_shell/page-metadata';
import { ReadRefused, StoreDown } from './_shell/store-down/store-down';
import { getServer, readLimited, unlessDown } from './_trpc/server';
import { EmbeddedMeter } from './_window/embedded-meter';
import { formatClaimLimit } from './_window/format-limits';
import { LiveLead } from './_window/live-limits';

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
  const server = await getServer();
  const { demo, user } = server.request();
  const [list, orders] = await Promise.all([
    readLimited((caller) => caller.coupon.list()),
    // Without its orders, the page stays useful.
    user ? unlessDown(server.caller().order.list()) : undefined,
  ]);
  if (list.kind === 'refused') return <ReadRefused {...list.refusal} />;
  if (list.kind === 'store-down') return <StoreDown page="sale" />;
  const [t, limits, duration] = await Promise.all([
    getTranslations('sale'),
    getTranslations('limits'),
    getTranslations('duration'),
  ]);
  const seckill = server.listEnforcedLevels('coupon.seckill');
  const claim = server.listEnforcedLevels('coupon.claim');
  const [crowd] = server.listEnforcedLevels('demo.crowd');
  const claimsLead = <LiveLead kind="claim">{formatClaimLimit({ limits, duration }, claim)}</LiveLead>;
  return (
    <ClientMessages only={demo ? [...shopNames, ...demoNames] : shopNames}>
      <SaleBoard
        list={list.data}
        orders={orders}
        limits={{ seckill, claim }}
        lead={t(demo ? 'leadDemo' : 'lead')}
        claimsLead={claimsLead}
        crowdLimit={crowd}
      />
    </ClientMessages>
  );
}

/** The messages of the sale, and of the demo's dock. */
const shopNames = [
  'sale',
  'coupon',
  'outcome',
  'queue',
  'refusal',
  'ban',
  'why',
  'problem',
  'windows',
  'counting',
  'limits',
  'duration',
] as const satisfies readonly (keyof Messages)[];
const demoNames = ['crowd', 'taps', 'identity'] as const satisfies readonly (keyof Messages)[];
