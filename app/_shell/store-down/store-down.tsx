import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/blank-page';
import { ClientMessages } from '../../_i18n/client-messages';
import { PageRetry } from './page-retry';

/** Replaces a page that the server could not render because a store is down. */
export async function StoreDown({ page }: { page: 'sale' | 'wallet' | 'ops' }) {
  const t = await getTranslations('storeDown');
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage tone="unavailable" title={t(`title.${page}`)} text={t(`text.${page}`)}>
        <PageRetry />
      </BlankPage>
    </ClientMessages>
  );
}

interface Props {
  /** The policy's message. */
  message: string;
  /** Null if an operator blocks the read. */
  retryAfterMs: number | null;
}

/** Replaces a page whose read a limit refused, and retries when the window has room; a blocked one at growing intervals. */
export async function ReadRefused({ message, retryAfterMs }: Props) {
  const t = await getTranslations('readRefused');
  const isBlocked = retryAfterMs === null;
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage
        tone="closed"
        title={t(isBlocked ? 'blocked' : 'title')}
        text={isBlocked ? t('blockedText') : t('text', { message })}
      >
        <PageRetry {...(!isBlocked && { firstWaitMs: retryAfterMs })} />
      </BlankPage>
    </ClientMessages>
  );
}
