import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from './_i18n/client-messages';
import type { Messages } from './_i18n/messages';
import { ownershipOf } from './_orders/order-state';
import { isWaiting } from './_queue/tickets';
import { SaleBoard } from './_sale/sale-board';
import { pageMetadata, type SearchParams } from './_shell/page-metadata';
import { ReadRefused, StoreDown } from './_shell/store-down/store-down';
import { getServer, readLimited, unlessDown } from './_trpc/server';
import type { Order, Ticket } from './_trpc/types';
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
  // Without its orders and tickets, the page stays useful.
  const [orders, waiting] = user
    ? await Promise.all([unlessDown(server.caller().order.list()), unlessDown(server.caller().queue.mine())])
    : [];
  const ids = listKeptCoupons(orders?.orders, waiting?.tickets);
  const list = await readLimited((caller) => caller.coupon.list({ ids }));
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

/** Lists the coupons that the viewer holds or waits for, which are always on the page; at most 50. */
function listKeptCoupons(orders: readonly Order[] = [], tickets: readonly Ticket[] = []): string[] {
  const held = orders.filter((order) => ['confirming', 'held'].includes(ownershipOf(order) ?? ''));
  const ids = [...held, ...tickets.filter(isWaiting)].map(({ couponId }) => couponId);
  return [...new Set(ids)].slice(0, 50);
}

/** The messages of the sale, and of the demo's dock. */
const shopNames = [
  'sale',
  'coupon',
  'outcome',
  'queue',
  'refusal',
  'claimsWait',
  'why',
  'problem',
  'windows',
  'counting',
  'limits',
  'duration',
] as const satisfies readonly (keyof Messages)[];
const demoNames = ['crowd', 'taps', 'identity'] as const satisfies readonly (keyof Messages)[];
