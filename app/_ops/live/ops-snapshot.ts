import type { Feed, FeedSnapshot } from '../../_live/feed';
import type { RefusedMarks } from '../../_live/live-snapshot';
import type { HistoryPoint, OpsEvent } from './ops-event';

export interface OpsSnapshot extends FeedSnapshot {
  event: OpsEvent | undefined;
  /** The seconds of the last minutes in which anything was decided, oldest first. */
  history: readonly HistoryPoint[];
  /** What was refused while this page looked. */
  refused: RefusedMarks;
}

export type OpsFeed = Feed<OpsSnapshot>;

export const notConnected: OpsSnapshot = { status: 'connecting', event: undefined, history: [], refused: {} };
