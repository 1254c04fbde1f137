import type { Feed, FeedSnapshot } from './feed';
import type { LiveEvent } from './live-feed';

/** The number of calls that a level refused at about one instant. */
export interface RefusalMark {
  /** Epoch ms by Redis's clock. */
  at: number;
  count: number;
}

/** The recent marks of each level, oldest first, by `levelKey`. */
export type RefusalMarks = Readonly<Record<string, readonly RefusalMark[]>>;

export const noMarks: readonly RefusalMark[] = [];

export interface LiveSnapshot extends FeedSnapshot {
  event: LiveEvent | undefined;
  /** The refusals since the page opened. */
  refused: RefusalMarks;
}

export type LiveFeed = Feed<LiveSnapshot>;

export const notConnected: LiveSnapshot = {
  status: 'connecting',
  event: undefined,
  isUnknown: false,
  refused: {},
};
