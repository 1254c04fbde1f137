import { createEventHub, type EventHub, type EventHubOptions, type StreamEvent } from './event-hub';

/** The data of `event: windows` on the live stream: what everybody may see of the running sale. */
export interface LiveState {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The global levels. */
  windows: LiveWindow[];
  /** Totals that only grow, of all nodes together. */
  rates: LiveRate[];
  stock: { couponId: string; remaining: number }[];
}

interface LiveWindow {
  policy: string;
  level: string;
  algorithm: string;
  limit: number;
  windowMs: number;
  used: number;
  remaining: number;
  /** Epoch ms by Redis's clock, the newest 200, oldest first. */
  hits: number[];
  retryAfterMs: number;
  mode: string;
  bannedUntil?: number;
}

interface LiveRate {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

export type LiveHubOptions = Pick<EventHubOptions<LiveState>, 'read' | 'onViewers' | 'log'>;

/** At most four events a second. */
const POLL_MS = 250;

/** Shows everybody the state of the running sale. */
export function createLiveHub(options: LiveHubOptions): EventHub {
  return createEventHub({ ...options, pollMs: POLL_MS, encode: liveEvent });
}

function liveEvent(state: LiveState): StreamEvent {
  return {
    key: changeKey(state),
    bytes: Buffer.from(`event: windows\ndata: ${JSON.stringify(state)}\n\n`),
    alive: Buffer.from(`event: alive\ndata: ${JSON.stringify({ serverNow: state.serverNow })}\n\n`),
  };
}

/**
 * A text that two states share exactly if nothing happened between them. Time alone is no change: countdowns run down
 * by themselves, and the page does that too.
 */
function changeKey({ windows, rates, stock }: LiveState): string {
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), rates, stock]);
}
