import type { Layer, LayeredCall } from '../types';

/** Order of the layers, from the outside in. */
const positions = { gateway: 0, api: 1, user: 2 } as const satisfies Record<Layer, number>;
export const layers: readonly Layer[] = Object.keys(positions).filter(isLayer);

function isLayer(name: string): name is Layer {
  return name in positions;
}

/** Sources of a flood. */
export const floods = ['one-caller', 'many-addresses', 'one-address', 'everyone'] as const;
export type Flood = (typeof floods)[number];

/** Length of a flood. */
export const FLOOD_MS = 3_000;
/** 40 calls a second. */
const CALL_COUNT = 120;

const callers = {
  'one-caller': () => ({ address: 0, user: 0 }),
  'many-addresses': (index) => ({ address: index % 20, user: 0 }),
  'one-address': (index) => ({ address: 0, user: index % 40 }),
  everyone: (index) => ({ address: index % 60, user: index % 60 }),
} as const satisfies Record<Flood, (index: number) => Pick<LayeredCall, 'address' | 'user'>>;

/** Generates evenly spaced calls from the callers of a flood. */
export function generateLayeredCalls(flood: Flood): LayeredCall[] {
  return Array.from({ length: CALL_COUNT }, (_, index) => ({
    at: Math.floor((index * FLOOD_MS) / CALL_COUNT),
    ...callers[flood](index),
  }));
}
