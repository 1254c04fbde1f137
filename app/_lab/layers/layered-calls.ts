import type { Layer, LayeredCall } from '../types';

/** From the outside in: the order in which a call meets them. */
const places = { gateway: 0, api: 1, user: 2 } as const satisfies Record<Layer, number>;
export const layers: readonly Layer[] = Object.keys(places).filter(isLayer);

function isLayer(name: string): name is Layer {
  return name in places;
}

/** Who floods. */
export const floods = ['one-caller', 'many-addresses', 'one-address', 'everyone'] as const;
export type Flood = (typeof floods)[number];

export const floodMs = 3_000;
/** 40 calls a second. */
const calls = 120;

const who = {
  'one-caller': () => ({ address: 0, user: 0 }),
  'many-addresses': (place) => ({ address: place % 20, user: 0 }),
  'one-address': (place) => ({ address: 0, user: place % 40 }),
  everyone: (place) => ({ address: place % 60, user: place % 60 }),
} as const satisfies Record<Flood, (place: number) => Pick<LayeredCall, 'address' | 'user'>>;

/** The same number of calls at even distances, by different people. */
export function layeredCalls(flood: Flood): LayeredCall[] {
  return Array.from({ length: calls }, (_, place) => ({
    at: Math.floor((place * floodMs) / calls),
    ...who[flood](place),
  }));
}
