import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ClientMessages } from '../../_i18n/client-messages';
import { denyNonOperators, operatorsMetadata } from '../../_ops/deny-non-operators';
import { LimitsBoard } from '../../_ops/limits/limits-board';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsLimitsBoard');
  return operatorsMetadata(t('title'));
}

export default async function LimitsPage() {
  const closed = await denyNonOperators();
  if (closed) return closed;
  const read = await readStore(async ({ limit, ops }) => {
    const [listed, audit] = await Promise.all([limit.list(), ops.audit({})]);
    return { listed, audit };
  });
  if (!read) return <StoreDown page="ops" />;
  return (
    <ClientMessages only={['ops', 'table', 'opsLimitsBoard', 'opsAudit', 'duration']}>
      <LimitsBoard {...read} />
    </ClientMessages>
  );
}
