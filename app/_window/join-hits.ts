/** The level whose hits are joined. */
export interface CountedLevel {
  policy: string;
  level: string;
  windowMs: number;
}

/** The known windows at an instant. */
interface Windows {
  serverNow: number;
  windows: { policy: string; level: string; hits: number[] }[];
}

interface Join {
  before: Windows | undefined;
  after: Windows;
  level: CountedLevel;
  refusedAt: number;
}

/**
 * Joins two readings of the hits. Redis's clock never runs backwards, so hits after the first reading are later than
 * it.
 */
export function joinHits({ before, after, level, refusedAt }: Join): number[] {
  const hitsIn = (known: Windows | undefined) =>
    known?.windows.find(({ policy, ...window }) => policy === level.policy && window.level === level.level)
      ?.hits ?? [];
  const since = before?.serverNow ?? 0;
  return [...hitsIn(before), ...hitsIn(after).filter((hit) => hit > since)].filter(
    (hit) => hit > refusedAt - level.windowMs && hit <= refusedAt,
  );
}
