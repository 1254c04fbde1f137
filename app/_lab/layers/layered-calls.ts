import type { Layer, LayeredCall } from '../types';

/** Order of the layers, from the outside in. */
const positions = { gateway: 0, api: 1, user: 2 } as const satisfies Record<Layer, number>;
export const layers: readonly Layer[] = Object.keys(positions).filter(isLayer);

function isLayer(name: string): name is Layer {
  return name in positions;
}

/** Sources of a flood. */
export const floods = ['one-caller', 'many-addresses', 'one-address', 'everyone', 'crowd'] as const;
export type Flood = (typeof floods)[number];

/** Length of a flood. */
export const FLOOD_MS = 3_000;

interface Source {
  calls: number;
  callerOf(index: number): { address: number; user: number };
}

const sources = {
  'one-caller': { calls: 120, callerOf: () => ({ address: 0, user: 0 }) },
  'many-addresses': { calls: 120, callerOf: (index) => ({ address: index % 20, user: 0 }) },
  'one-address': { calls: 120, callerOf: (index) => ({ address: 0, user: index % 40 }) },
  everyone: { calls: 120, callerOf: (index) => ({ address: index % 60, user: index % 60 }) },
  // Every 40th call is of user 0: 30 calls. The other 130 users send 9 each.
  crowd: {
    calls: 1_200,
    callerOf: (index) => ({
      address: 0,
      user: index % 40 === 0 ? 0 : 1 + ((index - Math.floor(index / 40) - 1) % 130),
    }),
  },
} as const satisfies Record<Flood, Source>;

/** Generates evenly spaced calls from the callers of a flood. */
export function generateLayeredCalls(flood: Flood): LayeredCall[] {
  const { calls, callerOf }: Source = sources[flood];
  return Array.from({ length: calls }, (_, index) => {
    const { address, user } = callerOf(index);
    return [Math.floor((index * FLOOD_MS) / calls), address, user];
  });
}

interface LayersPreset {
  name: string;
  flood: Flood;
  windowMs: number;
  limits: Readonly<Record<Layer, number>>;
}

/** The numbers of the section. The texts of a preset are at `labLayers.presets` of the messages. */
export const layersPresets = [
  { name: 'small', flood: 'one-caller', windowMs: 1_000, limits: { gateway: 20, api: 30, user: 5 } },
  // A tutorial's buckets: capacity 10,000, 1,000 and 10, refilled in 10 s.
  {
    name: 'three-levels',
    flood: 'crowd',
    windowMs: 10_000,
    limits: { gateway: 10_000, api: 1_000, user: 10 },
  },
] as const satisfies readonly LayersPreset[];

export type LayersPresetName = (typeof layersPresets)[number]['name'];

/** Finds a preset by its name. Returns the first for an unknown name. */
export function findLayersPreset(name: string | null): LayersPreset & { name: LayersPresetName } {
  return layersPresets.find((preset) => preset.name === name) ?? layersPresets[0];
}
