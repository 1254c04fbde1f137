export const layers = ['gateway', 'api', 'user'] as const;
export type Layer = (typeof layers)[number];

export interface LayeredCall {
  at: number;
  /** Which address it comes from. */
  address: number;
  /** Who calls. */
  user: number;
}

export interface LayersOrder {
  calls: readonly LayeredCall[];
  /** gateway: a leaky bucket per address; api: a sliding log of everybody; user: a sliding log per user. */
  limits: Record<Layer, { limit: number; windowMs: number }>;
  signal?: AbortSignal | undefined;
}

/** The same calls before three limits: as one decision, and as three. */
export interface Layers {
  /** One policy with three levels: all are charged or none. */
  together: LayersSide;
  /** Three policies, one after the other: what stood before the refusal stays charged. */
  apart: LayersSide;
}

export interface LayersSide {
  decisions: {
    at: number;
    address: number;
    user: number;
    allowed: boolean;
    /** The first layer that refused; null of an admitted call. */
    stoppedBy: Layer | null;
    /** The layers that were charged. */
    charged: Layer[];
    retryAfterMs: number;
    delayMs: number;
  }[];
  admitted: number;
  stopped: Record<Layer, number>;
  /** Units charged for calls that were refused all the same. */
  chargedInVain: Record<Layer, number>;
  /** Round trips to Redis of all calls together. */
  roundTrips: number;
}
