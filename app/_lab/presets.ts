import type { Algorithm } from './types';

/** A value of one algorithm's run that a claim is about. */
export type ClaimMeasure = 'admitted' | 'worstWindow' | 'lastInWindow' | 'longestDelayMs';

/** A number that a tutorial states for the calls of a preset. */
export interface Claim {
  algorithm: Algorithm;
  measure: ClaimMeasure;
  /** The stated number. Null if the tutorial contradicts itself. */
  says: number | null;
}

interface Preset {
  name: string;
  limit: number;
  windowMs: number;
  /** Ascending ms from an edge of a fixed window. */
  arrivals: readonly number[];
  claim: Claim;
  /** The address of a page of the lab that shows why. */
  more?: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The numbers and timelines of tutorials about rate limiting. The texts of a preset are at `lab.preset` of the messages. */
export const presets = [
  {
    name: 'sixth-call',
    limit: 5,
    windowMs: MINUTE,
    arrivals: [0, 10, 20, 45, 50, 85].map((second) => second * SECOND),
    claim: { algorithm: 'sliding-log', measure: 'lastInWindow', says: 3 },
    more: '/lab?section=mistakes&card=four-commands',
  },
  {
    name: 'hour-edge',
    limit: 10,
    windowMs: MINUTE,
    arrivals: [...spread(10, 59 * SECOND, SECOND), ...spread(10, 60 * SECOND, SECOND)],
    claim: { algorithm: 'fixed-window', measure: 'worstWindow', says: 20 },
  },
  {
    name: 'mail-code',
    limit: 3,
    windowMs: MINUTE,
    arrivals: [0, 10, 20, 30, 60].map((second) => second * SECOND),
    claim: admits(4),
  },
  { name: 'burst-100', limit: 100, windowMs: 10 * SECOND, arrivals: spread(100, 0, 1), claim: admits(100) },
  {
    name: 'burst-500',
    limit: 50,
    windowMs: 5 * SECOND,
    arrivals: spread(500, 0, 1),
    claim: admits(50),
    more: '/lab?section=mistakes&card=self-extending-block',
  },
  {
    name: 'ten-seconds',
    limit: 20,
    windowMs: 10 * SECOND,
    arrivals: spread(30, 0, 6 * SECOND),
    claim: admits(20),
  },
  {
    name: 'seckill',
    limit: 100,
    windowMs: 10 * SECOND,
    arrivals: spread(150, 0, 3 * SECOND),
    claim: admits(100),
  },
  { name: 'claim', limit: 3, windowMs: MINUTE, arrivals: spread(4, 0, 8 * SECOND), claim: admits(3) },
  { name: 'merchant', limit: 5, windowMs: SECOND, arrivals: spread(8, 0, 800), claim: admits(5) },
  { name: 'half-second', limit: 100, windowMs: 500, arrivals: spread(400, 0, SECOND), claim: admits(200) },
  { name: 'one-second', limit: 100, windowMs: SECOND, arrivals: spread(400, 0, SECOND), claim: admits(100) },
  { name: 'reload', limit: 5, windowMs: 10 * SECOND, arrivals: spread(8, 0, 8 * SECOND), claim: admits(5) },
  { name: 'order', limit: 10, windowMs: MINUTE, arrivals: spread(12, 0, 36 * SECOND), claim: admits(10) },
  {
    name: 'product-list',
    limit: 100,
    windowMs: MINUTE,
    arrivals: spread(130, 0, 39 * SECOND),
    claim: admits(100),
  },
  {
    name: 'four-windows',
    limit: 100,
    windowMs: MINUTE,
    arrivals: [50, 100, 30].flatMap((count, index) => spread(count, index * 60 * SECOND, 60 * SECOND)),
    claim: { algorithm: 'fixed-window', measure: 'admitted', says: 180 },
  },
  {
    name: 'two-seconds',
    limit: 100,
    windowMs: MINUTE,
    arrivals: spread(200, 59 * SECOND, 2 * SECOND),
    claim: { algorithm: 'fixed-window', measure: 'worstWindow', says: 200 },
    more: '/lab?section=mistakes&card=double-burst',
  },
  {
    name: 'leaky-burst',
    limit: 10,
    windowMs: 10 * SECOND,
    arrivals: spread(20, 0, 1),
    claim: { algorithm: 'leaky-bucket', measure: 'longestDelayMs', says: null },
  },
] as const satisfies readonly Preset[];

export type PresetName = (typeof presets)[number]['name'];

/** Finds a preset by its name. Returns the first for an unknown name. */
export function findPreset(name: string | null): Preset & { name: PresetName } {
  return presets.find((preset) => preset.name === name) ?? presets[0];
}

/** Returns true if a scenario has the limit and the window of its preset, so that the preset's claim applies. */
export function hasPresetNumbers({ preset, limit, windowMs }: PresetNumbers): boolean {
  const own = findPreset(preset);
  return own.limit === limit && own.windowMs === windowMs;
}

interface PresetNumbers {
  preset: PresetName;
  limit: number;
  windowMs: number;
}

/** The claim that a sliding log admits a number of calls. */
function admits(says: number): Claim {
  return { algorithm: 'sliding-log', measure: 'admitted', says };
}

/** Spreads calls evenly over [from, from + overMs), in whole ms. */
export function spread(count: number, from: number, overMs: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(from + (index * overMs) / count));
}
