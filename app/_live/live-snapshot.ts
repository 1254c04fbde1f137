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

/** `connecting`: no event yet. `stale`: the connection is gone, or an event that was due did not come. */
export interface LiveSnapshot {
  status: 'connecting' | 'live' | 'stale';
  event: LiveEvent | undefined;
  /** What was refused while this page looked. */
  refused: RefusedMarks;
}

export interface LiveFeed {
  /** The stream is open while somebody listens and the tab is visible. */
  subscribe(listener: () => void): () => void;
  snapshot(): LiveSnapshot;
}

export const notConnected: LiveSnapshot = { status: 'connecting', event: undefined, refused: {} };
