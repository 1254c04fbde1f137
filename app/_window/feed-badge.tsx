import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/status';
import type { FeedSnapshot } from '../_live/feed';

const tones = { connecting: 'neutral', live: 'good', stale: 'wait', refused: 'wait' } as const;

/** States whether the shown numbers are live. */
export function FeedBadge({ status }: { status: FeedSnapshot['status'] }) {
  const t = useTranslations('windows.status');
  return <Badge tone={tones[status]}>{t(status)}</Badge>;
}
