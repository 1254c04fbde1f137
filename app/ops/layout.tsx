import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { ClientMessages } from '../_i18n/client-messages';
import { OpsFeedProvider } from '../_ops/live/ops-feed-provider';
import { Sections } from '../_ops/sections';
import { getPageRequest } from '../_trpc/server';

/** Provides the section links and one live feed. Other visitors get neither. */
export default async function OpsLayout({ children }: { children: ReactNode }) {
  const { user } = await getPageRequest();
  if (user?.role !== 'admin') return children;
  const t = await getTranslations('ops');
  return (
    <OpsFeedProvider>
      <ClientMessages only={['ops']}>
        <Sections label={t('title')} />
      </ClientMessages>
      {children}
    </OpsFeedProvider>
  );
}
