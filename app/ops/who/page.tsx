import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { PageHead } from '../../_components/ui/page-parts';
import { ClientMessages } from '../../_i18n/client-messages';
import { denyNonOperators, operatorsMetadata } from '../../_ops/deny-non-operators';
import { UsersBoard } from '../../_ops/users/users-board';
import { StoreDown } from '../../_shell/store-down/store-down';
import { readStore, unlessDown } from '../../_trpc/server';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('opsUsers');
  return operatorsMetadata(t('title'));
}

export default async function WhoPage() {
  const closed = await denyNonOperators();
  if (closed) return closed;
  const t = await getTranslations('opsUsers');
  const read = await readStore(async ({ ops, ban, limit }) => {
    const [refused, banned, listed, { policies }] = await Promise.all([
      ops.subjects(),
      ban.list(),
      // They are in Postgres: its outage is shown in their section, which reads them again.
      unlessDown(limit.person.list({})),
      limit.list(),
    ]);
    return { refused, banned, listed, policies };
  });
  if (!read) return <StoreDown page="ops" />;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <ClientMessages only={['ops', 'table', 'opsUsers', 'windows', 'duration', 'problem', 'refusal']}>
        <UsersBoard {...read} />
      </ClientMessages>
    </>
  );
}
