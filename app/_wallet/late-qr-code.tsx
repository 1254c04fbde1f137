'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

const Loaded = lazy(() => import('../_components/ui/qr-code'));

/** A QR code whose encoder loads after the page. Its parent reserves the space. */
export function LateQrCode(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
