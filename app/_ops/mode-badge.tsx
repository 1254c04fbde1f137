import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';

/** Shows the mode of a level. Needs the namespace `ops`. */
export function ModeBadge({ mode }: { mode: string }) {
  const t = useTranslations('ops.mode');
  if (mode === 'shadow') return <Badge tone="sand">{t('shadow')}</Badge>;
  if (mode === 'off') return <Badge tone="ember">{t('off')}</Badge>;
  return <Badge tone="leaf">{t('enforce')}</Badge>;
}
