'use client';

import { useTranslations } from 'next-intl';
import type { Call } from '../_curl/curl-command';
import { CurlDetails } from '../_curl/curl-details';
import { SlidingMeter } from '../_windows/sliding-meter';
import { useOwnWindows } from '../_windows/use-own-windows';
import styles from './address-window.module.css';

/** The window that counts the visitor's address on this page, and the call that it counts. */
export function AddressWindow({ call }: { call: Pick<Call, 'path' | 'input'> }) {
  const t = useTranslations('windows');
  const window = useOwnWindows().find(({ policy, level }) => policy === 'merchant' && level === 'ip');
  return (
    <>
      <h2 className={styles.title}>{t('looking')}</h2>
      <SlidingMeter whose={t('yourAddress')} window={window} unknown={t('unknown')} />
      <CurlDetails call={{ type: 'query', signedIn: false, ...call }} />
    </>
  );
}
