import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../../_components/ui/page-head';
import { ClientMessages } from '../../_i18n/client-messages';
import { operatorsMetadata, operatorsOnly } from '../../_ops/operators-only';
import { WhoBoard } from '../../_ops/who/who-board';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsWho');
  return operatorsMetadata(t('title'));
}

export default async function WhoPage() {
  const closed = await operatorsOnly();
  if (closed) return closed;
  const t = await getTranslations('opsWho');
  const read = await readStore(async ({ ops, ban }) => {
    const [refused, banned] = await Promise.all([ops.subjects(), ban.list()]);
    return { refused, banned };
  });
  if (!read) return <StoreDown page="ops" />;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages only={['ops', 'opsWho', 'windows', 'duration', 'problem', 'refusal']}>
        <WhoBoard {...read} />
      </ClientMessages>
    </>
  );
}
