import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { ClientMessages } from '../_i18n/client-messages';
import { LimitDialogProvider } from '../_ops/limits/limit-dialog-provider';
import { OpsFeedProvider } from '../_ops/live/ops-feed-provider';
import { Sections } from '../_ops/sections';
import { ForUser } from '../_shell/user-change';
import { getServer } from '../_trpc/server';

/** Provides the section links, one live feed, and the dialog of the limits. Other visitors get none of them. */
export default async function OpsLayout({ children }: { children: ReactNode }) {
  const { user } = (await getServer()).request();
  return <ForUser userId={user?.id}>{user?.role === 'admin' ? <Ops>{children}</Ops> : children}</ForUser>;
}

async function Ops({ children }: { children: ReactNode }) {
  const t = await getTranslations('ops');
  return (
    <OpsFeedProvider>
      <ClientMessages only={['ops', 'opsLimits', 'problem', 'refusal', 'duration']}>
        <LimitDialogProvider>
          <Sections label={t('title')} />
          {children}
        </LimitDialogProvider>
      </ClientMessages>
    </OpsFeedProvider>
  );
}
