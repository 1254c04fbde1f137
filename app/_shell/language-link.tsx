'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { useLanguage } from '../_i18n/language';
import styles from './language-link.module.css';

const ID = 'language';

/**
 * Links this page in the other language. A full load, because all texts come from the server. The fragment returns the
 * focus to this link; the address bar does not keep it.
 */
export function LanguageLink() {
  const t = useTranslations('shell');
  const path = usePathname();
  const search = useSearchParams();
  const other = useLanguage() === 'en' ? 'zh' : 'en';

  useEffect(() => {
    const { hash, pathname, search } = window.location;
    if (hash !== `#${ID}`) return;
    // Without the fragment, a browser that has not moved the focus yet would not.
    document.getElementById(ID)?.focus();
    window.history.replaceState(null, '', pathname + search);
  }, []);

  const query = new URLSearchParams(search);
  query.set('lang', other);
  return (
    <a id={ID} className={styles.link} href={`${path}?${query}#${ID}`} hrefLang={other} lang={other}>
      {t('otherLanguage')}
    </a>
  );
}
