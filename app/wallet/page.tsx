import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../_components/ui/blank-page';
import { ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { PageHead } from '../_components/ui/page-parts';
import { ClientMessages } from '../_i18n/client-messages';
import { Picture } from '../_pictures/picture';
import { WaitingTickets } from '../_queue/waiting-tickets';
import type { SearchParams } from '../_shell/page-metadata';
import { ReadRefused, StoreDown } from '../_shell/store-down/store-down';
import { ForUser } from '../_shell/user-change';
import { type Caller, getServer, hasCode, readLimited, unlessDown } from '../_trpc/server';
import type { Order } from '../_trpc/types';
import { groupOrders, type OrderGroup } from '../_wallet/order-groups';
import { OrderList } from '../_wallet/order-list';
import { OrderTicket } from '../_wallet/order-ticket';
import styles from '../_wallet/wallet.module.css';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('wallet');
  return { title: t('title'), robots: { index: false } };
}

export default async function WalletPage({ searchParams }: { searchParams: SearchParams }) {
  const t = await getTranslations('wallet');
  const { user } = (await getServer()).request();
  return (
    <ForUser userId={user?.id}>
      {user ? (
        <Wallet searchParams={searchParams} />
      ) : (
        <Empty
          picture="closed-wallet"
          title={t('signedOut')}
          text={t('signedOutText')}
          href="/sign-in?next=/wallet"
          link={t('signIn')}
        />
      )}
    </ForUser>
  );
}

/** The wallet of a signed-in visitor. */
async function Wallet({ searchParams }: { searchParams: SearchParams }) {
  const t = await getTranslations('wallet');
  const { cursor } = await searchParams;
  const wallet = await readLimited(async (caller) => {
    const page = await listOrders(caller, cursor);
    // If they cannot be read, the orders are shown without them.
    const tickets = (await unlessDown(caller.queue.mine()))?.tickets;
    const ids = [...page.orders, ...(tickets ?? [])].map(({ couponId }) => couponId);
    return { ...page, tickets, ...(await readCoupons(caller, ids)) };
  });
  if (wallet.kind === 'refused') return <ReadRefused {...wallet.refusal} />;
  if (wallet.kind === 'store-down') return <StoreDown page="wallet" />;

  const { orders, isOlder, nextCursor, tickets, bought, version, serverNow } = wallet.data;
  const mayHaveTickets = !tickets || tickets.some((ticket) => ticket.state === 'waiting');
  // Also in an empty wallet, so that a ticket that has ended is shown with its reason.
  const queue = (
    <ClientMessages only={['queue', 'duration']}>
      <WaitingTickets
        tickets={tickets?.map((ticket) => {
          const coupon = bought.get(ticket.couponId);
          const left = coupon?.state === 'ended' ? 0 : coupon?.stock?.remaining;
          return { ticket, title: coupon?.title ?? t('unknownCoupon'), left };
        })}
        orders={orders.map(({ couponId, createdAt }) => ({ couponId, createdAt }))}
        renderedAt={serverNow}
      />
    </ClientMessages>
  );
  if (orders.length === 0 && !mayHaveTickets)
    return (
      <>
        {/* The same position as below, so that the queue keeps its state when the first order arrives. */}
        <PageHead title={t('title')} />
        {queue}
        <div className={styles.empty}>
          <Empty
            picture="empty-wallet"
            heading="h2"
            title={t('empty')}
            text={t('emptyText')}
            href="/"
            link={t('toSale')}
          />
        </div>
      </>
    );
  const grouped = groupOrders(orders);
  const has = (wanted: OrderGroup) => grouped.some(({ group }) => group === wanted);
  const due = has('ready') ? 'due' : 'dueOnly';
  const lead = has('due') ? due : has('ready') && 'ready';
  return (
    <>
      <PageHead title={t('title')} lead={lead && t(`lead.${lead}`)} />
      {queue}
      <ClientMessages only={['wallet', 'payment', 'duration', 'problem', 'refusal']}>
        <OrderList
          couponsVersion={version}
          refreshMs={getRefreshMs(orders) ?? (mayHaveTickets ? WAITING_REFRESH_MS : undefined)}
          items={grouped.map(({ order, group }) => ({
            id: order.id,
            group,
            ticket: (
              <OrderTicket
                order={order}
                group={group}
                coupon={bought.get(order.couponId)}
                renderedAt={serverNow}
              />
            ),
          }))}
        />
      </ClientMessages>
      <div className={classNames(layout.row4, styles.pages)}>
        {isOlder && (
          <Link prefetch={false} href="/wallet">
            {t('newest')}
          </Link>
        )}
        {nextCursor && (
          <Link prefetch={false} href={`/wallet?cursor=${encodeURIComponent(nextCursor)}`}>
            {t('older')}
          </Link>
        )}
      </div>
    </>
  );
}

/** Reads coupons by id with one call, because each call counts against the visitor's limit. */
async function readCoupons(caller: Caller, couponIds: readonly string[]) {
  const { coupons, version, serverNow } = await caller.coupon.list({ ids: [...new Set(couponIds)] });
  return { bought: new Map(coupons.map((coupon) => [coupon.id, coupon])), version, serverNow };
}

/** Refresh interval while a ticket waits and no order needs a shorter one. */
const WAITING_REFRESH_MS = 5_000;

/** Returns the refresh interval: short while an order or a payment is pending, longer during a hold. */
function getRefreshMs(orders: Order[]): number | undefined {
  if (orders.some(({ status, payment }) => status === 'reserved' || payment === 'pending')) return 1_500;
  return orders.some(({ status, holdUntil }) => status === 'confirmed' && holdUntil) ? 3_000 : undefined;
}

/** Lists the orders after the cursor in the URL. An invalid cursor lists the newest orders. */
async function listOrders(caller: Caller, cursor: string | string[] | undefined) {
  const listNewest = async () => ({ ...(await caller.order.list()), isOlder: false });
  if (typeof cursor !== 'string' || cursor === '') return listNewest();
  try {
    return { ...(await caller.order.list({ cursor })), isOlder: true };
  } catch (error) {
    if (hasCode(error, 'BAD_REQUEST')) return listNewest();
    throw error;
  }
}

interface EmptyProps {
  picture: 'empty-wallet' | 'closed-wallet';
  heading?: 'h2';
  title: string;
  text: string;
  href: string;
  link: string;
}

/** A wallet without tickets: picture, reason, and the only action. */
function Empty({ picture, href, link, ...words }: EmptyProps) {
  return (
    <BlankPage {...words} picture={<Picture name={{ sheet: 'pages', id: picture }} />}>
      <ButtonLink href={href} variant="primary">
        {link}
      </ButtonLink>
    </BlankPage>
  );
}
