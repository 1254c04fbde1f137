import { useRouter } from 'next/navigation';
import RetryTimer from './retry-timer';

interface Props {
  /** Wait before the first retry. Default: 5 s. */
  firstWaitMs?: number;
}

/** Refreshes the page once the server can render it again. */
export default function PageRetry({ firstWaitMs }: Props) {
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
