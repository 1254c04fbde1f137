import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from '../_i18n/client-messages';
import { denyNonOperators, operatorsMetadata } from '../_ops/deny-non-operators';
import { NowBoard } from '../_ops/now/now-board';
import { StoreDown } from '../_shell/store-down/store-down';
import { readStore } from '../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsNow');
  return operatorsMetadata(t('title'));
}

export default async function NowPage() {
  const closed = await denyNonOperators();
  if (closed) return closed;
  const listed = await readStore((caller) => caller.limit.list());
  if (!listed) return <StoreDown page="ops" />;
  return (
    <ClientMessages only={['ops', 'table', 'opsNow', 'opsActiveAlerts', 'windows', 'duration']}>
      <NowBoard policies={listed.policies} />
    </ClientMessages>
  );
}
