import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/blank-page';
import { ClientMessages } from '../../_i18n/client-messages';
import { PageRetry } from '../late-parts';

interface Props {
  /** The policy's message. */
  message: string;
  retryAfterMs: number;
}

/** Replaces a page whose read a limit refused, and retries when the window has room. */
export async function ReadRefused({ message, retryAfterMs }: Props) {
  const t = await getTranslations('readRefused');
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage tone="closed" title={t('title')} text={t('text', { message })}>
        <PageRetry firstWaitMs={retryAfterMs} />
      </BlankPage>
    </ClientMessages>
  );
}
