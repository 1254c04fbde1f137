'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** While this is on a page, the server renders the page anew at this pace. Take it away when all has settled. */
export function RefreshWhile({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
  return null;
}
