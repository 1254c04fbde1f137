import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/blank-page';
import { ClientMessages } from '../../_i18n/client-messages';
import { AskForPage } from '../late-parts';

interface Props {
  /** The policy's own text. */
  message: string;
  retryAfterMs: number;
}

/** A page whose data a limit refuses: tells why, and comes back when the window has room. */
export async function ReadRefused({ message, retryAfterMs }: Props) {
  const t = await getTranslations('readRefused');
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage title={t('title')} text={t('text', { message })}>
        <AskForPage firstWaitMs={retryAfterMs} />
      </BlankPage>
    </ClientMessages>
  );
}
