'use client';

import { useTranslations } from 'next-intl';
import { Button } from './_components/ui/button';
import { PageHead } from './_components/ui/page-head';

/** A page that could not be rendered. The server's log has the reason; the visitor has the way on. */
export default function PageError({ retry }: { error: unknown; retry: () => void }) {
  const t = useTranslations('error');
  return (
    <>
      <PageHead title={t('title')} lead={t('text')} />
      <Button variant="primary" onClick={retry}>
        {t('retry')}
      </Button>
    </>
  );
}
