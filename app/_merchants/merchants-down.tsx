import { useTranslations } from 'next-intl';
import { BlankPage } from '../_components/ui/page-parts';
import { RetryTimer } from '../_shell/store-down/retry-timer';

interface Props {
  heading: 'h1' | 'h2';
  /** Repeats the query. */
  retry(): Promise<unknown>;
}

/** Replaces the result of a query in the browser while the store is down. */
export function MerchantsDown({ heading, retry }: Props) {
  const t = useTranslations('storeDown');
  return (
    <BlankPage tone="unavailable" heading={heading} title={t('title.merchants')} text={t('text.merchants')}>
      <RetryTimer retry={retry} />
    </BlankPage>
  );
}
