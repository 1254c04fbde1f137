'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** The server renders the page anew at this pace; not while nobody looks, nor without a pace: then all has settled. */
export function RefreshWhile({ everyMs }: { everyMs: number | undefined }) {
  const router = useRouter();
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
  return null;
}
