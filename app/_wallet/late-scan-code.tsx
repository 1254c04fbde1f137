'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

const Loaded = lazy(() => import('./scan-code'));

/** The QR code of a ticket, whose encoder loads after the page. Its parent reserves the space. */
export function LateScanCode(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
