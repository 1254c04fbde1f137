import type { Feed, FeedSnapshot } from './feed';
import type { LiveEvent } from './live-event';

/** Calls that one level refused at about one instant. */
export interface RefusedMark {
  /** Epoch ms by Redis's clock. */
  at: number;
  count: number;
}

/** The recent marks of every level, oldest first, by `levelName`. */
export type RefusedMarks = Readonly<Record<string, readonly RefusedMark[]>>;

export function levelName({ policy, level }: { policy: string; level: string }): string {
  return `${policy}:${level}`;
}

export interface LiveSnapshot extends FeedSnapshot {
  event: LiveEvent | undefined;
  /** What was refused while this page looked. */
  refused: RefusedMarks;
}

export type LiveFeed = Feed<LiveSnapshot>;

export const notConnected: LiveSnapshot = { status: 'connecting', event: undefined, refused: {} };
