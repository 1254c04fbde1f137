import { useRouter } from 'next/navigation';
import RetryTimer from './retry-timer';

/** Refreshes the page once the server can render it again. */
export default function PageRetry({ firstWaitMs }: { firstWaitMs?: number }) {
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
 * Checks the page before `router.refresh`, which would show the browser's own error page, for good, if the server is
 * down.
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
