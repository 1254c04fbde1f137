import { useTranslations } from 'next-intl';
import { BlankPage } from '../_components/ui/blank-page';
import AskAgain from '../_shell/store-down/ask-again';

interface Props {
  heading: 'h1' | 'h2';
  /** Asks the same again. */
  ask(): Promise<unknown>;
}

/** In the place of what the store would have answered. */
export default function StoreAway({ heading, ask }: Props) {
  const t = useTranslations('storeDown');
  return (
    <BlankPage tone="cut" heading={heading} title={t('title.merchants')} text={t('text.merchants')}>
      <AskAgain ask={ask} />
    </BlankPage>
  );
}
