'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { encode } from 'uqr';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { Dialog } from '../_components/ui/dialog';
import layout from '../_components/ui/layout.module.css';
import styles from './scan-code.module.css';

interface Props {
  code: string;
  /** The title of the coupon. */
  title: string;
  /** The name of the merchant. Absent if the coupon was deleted. */
  merchant: string | undefined;
}

/** The QR code of a ticket. A press shows it on the full screen, large enough for a scanner at arm's length. */
export function ScanCode({ code, title, merchant }: Props) {
  const t = useTranslations('wallet');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.enlarge} onClick={() => setIsOpen(true)}>
        <span className={styles.smallCode}>
          <QrCode text={code} label={t('qr', { code })} />
        </span>
        <span className={classNames(layout.small, layout.strong, styles.enlargeHint)}>{t('enlarge')}</span>
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setIsOpen(false)} fullScreen>
        <div className={layout.stack3}>
          <p className={classNames(layout.soft, styles.merchant)}>{merchant}</p>
          <div className={styles.fullScreen}>
            <div className={styles.largeCode}>
              <QrCode text={code} label={t('qr', { code })} />
            </div>
            <div className={classNames(layout.stack3, styles.till)}>
              <p className={styles.code}>{code}</p>
              <p>{t('showAtTill')}</p>
              <Button data-first-focus="" onClick={() => setIsOpen(false)}>
                {t('close')}
              </Button>
            </div>
          </div>
        </div>
      </Dialog>
    </>
  );
}

/** The quiet zone of the QR standard (ISO/IEC 18004), in modules: scanners find no code on a dark page without it. */
const QUIET_ZONE = 4;

/** A QR code. Always dark on light, as scanners expect. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={data.map(toRowPath).join('')} />
    </svg>
  );
}

/** Returns the SVG path of one row: a rectangle per run of dark modules. */
function toRowPath(row: boolean[], y: number): string {
  const runs: string[] = [];
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const end = row.indexOf(false, x);
    const length = (end === -1 ? row.length : end) - x;
    runs.push(`M${x} ${y}h${length}v1h-${length}z`);
    x += length;
  }
  return runs.join('');
}
