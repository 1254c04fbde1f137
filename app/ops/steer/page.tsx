import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../../_components/ui/page-head';
import { ClientMessages } from '../../_i18n/client-messages';
import { operatorsMetadata, operatorsOnly } from '../../_ops/operators-only';
import { SteerBoard } from '../../_ops/steer/steer-board';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsSteer');
  return operatorsMetadata(t('title'));
}

export default async function SteerPage() {
  const closed = await operatorsOnly();
  if (closed) return closed;
  const t = await getTranslations('opsSteer');
  const read = await readStore(async ({ limit, ops }) => {
    const [listed, audit] = await Promise.all([limit.list(), ops.audit({})]);
    return { listed, audit };
  });
  if (!read) return <StoreDown page="ops" />;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages only={['ops', 'opsSteer', 'problem', 'refusal', 'duration']}>
        <SteerBoard {...read} />
      </ClientMessages>
    </>
  );
}
