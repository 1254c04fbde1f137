'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

/*
 * Parts of pages that few visitors see at first: what they are made of is no part of a page's first load. One module
 * for all of them, because each module that a page may render is a file of its own to load.
 */

const LateSingleMeter = lazy(() => import('../_window/single-meter'));
const LatePageRetry = lazy(() => import('./store-down/page-retry'));
const LateQrCode = lazy(() => import('../_components/ui/qr-code'));

/** A single meter, for a slide or a wall. */
export function SingleMeter(props: ComponentProps<typeof LateSingleMeter>) {
  return (
    <Suspense>
      <LateSingleMeter {...props} />
    </Suspense>
  );
}

/** Retries a page that could not be shown. */
export function PageRetry(props: ComponentProps<typeof LatePageRetry>) {
  return (
    <Suspense>
      <LatePageRetry {...props} />
    </Suspense>
  );
}

/** A QR code whose encoder loads after the page. Its parent reserves the space. */
export function QrCode(props: ComponentProps<typeof LateQrCode>) {
  return (
    <Suspense>
      <LateQrCode {...props} />
    </Suspense>
  );
}
