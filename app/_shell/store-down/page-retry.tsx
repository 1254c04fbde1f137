'use client';

import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';

const RetryTimer = dynamic(async () => (await import('./retry-timer')).RetryTimer, { loading: () => null });

/** Retries a page that the server could not render, and refreshes it once the server can. */
export function PageRetry({ firstWaitMs }: { firstWaitMs?: number }) {
  const router = useRouter();
  return (
    <RetryTimer
      firstWaitMs={firstWaitMs}
      retry={async () => {
        if (await isPageAvailable()) router.refresh();
      }}
    />
  );
}

/**
 * Returns true if the server renders the page. If the server is down, `router.refresh` would show the browser's error
 * page permanently.
 */
async function isPageAvailable(): Promise<boolean> {
  try {
    const { ok } = await fetch(window.location.href, { method: 'HEAD', cache: 'no-store' });
    return ok;
  } catch (error) {
    // `fetch` throws a TypeError without a response.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
