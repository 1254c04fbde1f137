import { useTranslations } from 'next-intl';
import { levelKey } from '../../_live/level-key';
import { ModeBadge } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Level } from '../types';
import { findOutageKind, useIsOutage } from './use-outage-text';

/**
 * Shows the effective mode of a level. Without Redis, no mode is in effect: shows what the level does instead. Needs the
 * namespace `ops`.
 */
export function LevelMode({ policy, level }: { policy: string; level: Level }) {
  const t = useTranslations('ops.outage');
  const mode = useLevelWindow(policy, level)?.mode ?? level.mode;
  const isOutage = useIsOutage();
  const kind = isOutage && findOutageKind(level);
  return kind ? t(kind) : <ModeBadge mode={mode} />;
}

/** Returns the window of a level in the newest event. */
export function useLevelWindow(policy: string, { level }: Level) {
  const key = levelKey({ policy, level });
  return useOpsFeed(({ event }) => event?.windows.find((one) => levelKey(one) === key));
}
