import { useTranslations } from 'next-intl';
import { useLevelName } from '../levels';
import { useFormatLimit } from '../limits/use-format-limit';
import type { HistoryPoint, OpsEvent, OpsWindow } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { sumOf } from '../now/sum-of';

/** The time over which the alert measures the refused share. */
const SHARE_MS = 30_000;

/** Names the level that refuses most calls of a policy, with its limit. The alert measures all levels of the policy. */
export function RefusingLevel({ policy }: { policy: string }) {
  const t = useTranslations('opsAlerts');
  const levelName = useLevelName();
  const formatLimit = useFormatLimit();
  const window = useOpsFeed(({ event, history }) => event && findRefusing(policy, { event, history }));
  if (!window) return null;
  return t('refusedBy', { level: levelName(window.level), limit: formatLimit(window, window.algorithm) });
}

/** Returns the window of the level of `policy` with the most refusals in the last 30 s; `undefined` without refusals. */
export function findRefusing(
  policy: string,
  {
    event: { windows, serverNow },
    history,
  }: { event: Pick<OpsEvent, 'windows' | 'serverNow'>; history: readonly HistoryPoint[] },
): OpsWindow | undefined {
  const levels = history.filter(({ at }) => at > serverNow - SHARE_MS).flatMap((second) => second.levels);
  const refusedBy = ({ level }: OpsWindow) =>
    sumOf(
      levels
        .filter((one) => one.policy === policy && one.level === level)
        .map(({ refused, banned }) => refused + banned),
    );
  return windows
    .filter((window) => window.policy === policy && refusedBy(window) > 0)
    .toSorted((one, other) => refusedBy(other) - refusedBy(one))[0];
}
