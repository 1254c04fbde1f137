'use client';

import { lazy, Suspense } from 'react';

/** Almost nobody needs it, so its script is no part of a page's first load. */
const AskForPage = lazy(() => import('./ask-for-page'));

/** Brings the page back once the store answers. */
export function PageReturn() {
  return (
    <Suspense>
      <AskForPage />
    </Suspense>
  );
}
