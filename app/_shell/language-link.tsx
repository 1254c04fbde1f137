'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useLocale, useTranslations } from 'next-intl';
import styles from './language-link.module.css';

/** Links this page in the other language. A full load, because all texts come from the server. */
export function LanguageLink() {
  const t = useTranslations('shell');
  const path = usePathname();
  const search = useSearchParams();
  const other = useLocale() === 'en' ? 'zh' : 'en';

  const query = new URLSearchParams(search);
  query.set('lang', other);
  return (
    <a className={styles.link} href={`${path}?${query}`} hrefLang={other} lang={other}>
      {t('otherLanguage')}
    </a>
  );
}
