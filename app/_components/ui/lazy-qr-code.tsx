'use client';

import { lazy, Suspense } from 'react';

const QrCode = lazy(() => import('./qr-code'));

/** A QR code whose encoder loads after the page. Its parent reserves the space. */
export function LazyQrCode({ text, label }: { text: string; label: string }) {
  return (
    <Suspense>
      <QrCode text={text} label={label} />
    </Suspense>
  );
}
