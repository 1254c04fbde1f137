'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

/*
 * Parts of pages that few visitors see at first, so their code is not in a page's first load. They share this module
 * because each client module of a page is a separate file to load.
 */

const LateSingleMeter = lazy(() => import('../_window/single-meter'));
const LatePageRetry = lazy(() => import('./store-down/page-retry'));

/** A single meter without the page's header, for embedding. */
export function SingleMeter(props: ComponentProps<typeof LateSingleMeter>) {
  return (
    <Suspense>
      <LateSingleMeter {...props} />
    </Suspense>
  );
}

/** The countdown and the button that retry a page. */
export function PageRetry(props: ComponentProps<typeof LatePageRetry>) {
  return (
    <Suspense>
      <LatePageRetry {...props} />
    </Suspense>
  );
}
