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

export interface LiveWindow {
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

export interface LiveRate {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/**
 * A text that two states share exactly if nothing happened between them. Time alone is no change: countdowns run down
 * by themselves, and the page does that too.
 */
export function changeKey({ windows, rates, stock }: LiveState): string {
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), rates, stock]);
}
