import { getTranslations } from 'next-intl/server';
import { BlankPage } from '../../_components/ui/blank-page';
import { ClientMessages } from '../../_i18n/client-messages';
import { AskForPage } from '../late-parts';

/** A page whose store does not answer: says so in the place of what it would show, and comes back by itself. */
export async function StoreDown({ page }: { page: 'sale' | 'wallet' | 'ops' }) {
  const t = await getTranslations('storeDown');
  return (
    <ClientMessages only={['storeDown', 'duration']}>
      <BlankPage tone="cut" title={t(`title.${page}`)} text={t(`text.${page}`)}>
        <AskForPage />
      </BlankPage>
    </ClientMessages>
  );
}
