'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

/*
 * Parts of pages that few visitors ever see: what they are made of is no part of a page's first load. One module for
 * all of them, because each module that a page may render is a file of its own to load.
 */

const LateLoneMeter = lazy(() => import('../_window/lone-meter'));
const LatePageRetry = lazy(() => import('./store-down/page-retry'));

/** A single meter, for a slide or a wall. */
export function LoneMeter(props: ComponentProps<typeof LateLoneMeter>) {
  return (
    <Suspense>
      <LateLoneMeter {...props} />
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
