import { useRouter } from 'next/navigation';
import AskAgain from './ask-again';

interface Props {
  /** Until it is asked for the first time. Default: 5 s. */
  firstWaitMs?: number;
}

/** Asks whether this page can be had again, and takes it when it can. */
export default function AskForPage({ firstWaitMs }: Props) {
  const router = useRouter();
  return (
    <AskAgain
      firstWaitMs={firstWaitMs}
      ask={async () => {
        if (await isBack()) router.refresh();
      }}
    />
  );
}

/**
 * Asked before the router is: it would answer a server that is away with the browser's own error page, and nothing
 * could bring that back.
 */
async function isBack(): Promise<boolean> {
  try {
    const { ok } = await fetch(window.location.href, { method: 'HEAD', cache: 'no-store' });
    return ok;
  } catch (error) {
    // No answer at all, as `fetch` says it.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
