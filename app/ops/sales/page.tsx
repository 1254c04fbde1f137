import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../../_components/ui/page-parts';
import { ClientMessages } from '../../_i18n/client-messages';
import { denyNonOperators, operatorsMetadata } from '../../_ops/deny-non-operators';
import { SalesBoard } from '../../_ops/sales/sales-board';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsSales');
  return operatorsMetadata(t('title'));
}

export default async function SalesPage() {
  const closed = await denyNonOperators();
  if (closed) return closed;
  const t = await getTranslations('opsSales');
  const read = await readStore(async ({ ops }) => {
    const [coupons, orders, refunds, merchants, deadLetters] = await Promise.all([
      ops.coupons({}),
      ops.orders({}),
      ops.refunds(),
      ops.merchants({}),
      // They are in Redis: its outage is shown in their section, which reads them again.
      ops.deadLetters().catch(() => undefined),
    ]);
    return { coupons, orders, refunds, merchants, deadLetters };
  });
  if (!read) return <StoreDown page="ops" />;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages only={['ops', 'table', 'opsSales', 'coupon', 'problem', 'refusal', 'duration']}>
        <SalesBoard {...read} />
      </ClientMessages>
    </>
  );
}
