'use client';

import { lazy, Suspense } from 'react';

const QrCode = lazy(() => import('./qr-code'));

/** A QR code whose encoder comes after the page. Give the place around it its size. */
export function LazyQrCode({ text, label }: { text: string; label: string }) {
  return (
    <Suspense>
      <QrCode text={text} label={label} />
    </Suspense>
  );
}
