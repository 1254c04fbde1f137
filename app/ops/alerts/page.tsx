import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../../_components/ui/page-parts';
import { ClientMessages } from '../../_i18n/client-messages';
import { AlertsBoard } from '../../_ops/alerts/alerts-board';
import { denyNonOperators, operatorsMetadata } from '../../_ops/deny-non-operators';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsAlerts');
  return operatorsMetadata(t('title'));
}

export default async function AlertsPage() {
  const closed = await denyNonOperators();
  if (closed) return closed;
  const t = await getTranslations('opsAlerts');
  const read = await readStore((caller) => caller.ops.alertRules());
  if (!read) return <StoreDown page="ops" />;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages only={['ops', 'table', 'opsAlerts', 'opsActiveAlerts', 'duration']}>
        <AlertsBoard rules={read.rules} />
      </ClientMessages>
    </>
  );
}
