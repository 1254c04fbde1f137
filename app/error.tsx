'use client';

import { useTranslations } from 'next-intl';
import { BlankPage } from './_components/ui/blank-page';
import { Button } from './_components/ui/button';

/** Replaces a page that failed to render. The server's log has the reason. */
export default function PageError({ retry }: { error: unknown; retry: () => void }) {
  const t = useTranslations('error');
  return (
    <BlankPage tone="broken" title={t('title')} text={t('text')}>
      <Button variant="primary" onClick={retry}>
        {t('retry')}
      </Button>
    </BlankPage>
  );
}
