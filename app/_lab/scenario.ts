import { offsetsOf, textOf } from './offsets-text';

/** How calls come. The first four are generated; the others were recorded. */
export const traffics = ['edge', 'steady', 'pulse', 'poisson', 'taps', 'live'] as const;
export type Traffic = (typeof traffics)[number];

interface Rule {
  /** Units in a window: 1 to 200. */
  limit: number;
  /** Length of a window in ms: 100 to 600 000. */
  windowMs: number;
}

interface Generated extends Rule {
  /** Calls in a window, in per cent of the limit: 10 to 300. */
  load: number;
  /** How many windows it takes: 2 to 6. */
  windows: number;
}

/** One experiment: which calls come, and the rule that every algorithm is to hold. An address carries all of it. */
export type Scenario =
  | (Generated & { traffic: 'edge' | 'steady' | 'pulse' })
  /** The same seed is the same chance: 0 to 999 999. */
  | (Generated & { traffic: 'poisson'; seed: number })
  /** Offsets from the first call in ms, ascending: at most 1 000, within an hour. */
  | (Rule & { traffic: 'taps' | 'live'; arrivals: readonly number[] });

/** The least and the most of each number, and what stands where an address does not say, or nonsense. */
export const bounds = {
  limit: { least: 1, most: 200, usual: 10 },
  windowMs: { least: 100, most: 600_000, usual: 10_000 },
  load: { least: 10, most: 300, usual: 100 },
  windows: { least: 2, most: 6, usual: 3 },
  seed: { least: 0, most: 999_999, usual: 7 },
} as const;

/** Reads a scenario from an address. Never fails: a number out of bounds is the nearest within, another word the usual. */
export function scenarioOf(query: URLSearchParams): Scenario {
  const number = (name: string, { least, most, usual }: Bounds) => {
    const text = query.get(name);
    const value = text === null || text === '' ? Number.NaN : Math.round(Number(text));
    return Number.isNaN(value) ? usual : Math.min(most, Math.max(least, value));
  };
  const rule = { limit: number('limit', bounds.limit), windowMs: number('window', bounds.windowMs) };
  const traffic = traffics.find((known) => known === query.get('traffic')) ?? traffics[0];
  if (traffic === 'taps' || traffic === 'live') {
    return { ...rule, traffic, arrivals: offsetsOf(query.get('at') ?? '') };
  }
  const generated = {
    ...rule,
    load: number('load', bounds.load),
    windows: number('windows', bounds.windows),
  };
  return traffic === 'poisson'
    ? { ...generated, traffic, seed: number('seed', bounds.seed) }
    : { ...generated, traffic };
}

/** Writes a scenario for an address: `scenarioOf` reads the same out of it. */
export function queryOf(scenario: Scenario): URLSearchParams {
  const { traffic, limit, windowMs } = scenario;
  const query = new URLSearchParams({ traffic, limit: String(limit), window: String(windowMs) });
  if ('arrivals' in scenario) {
    query.set('at', textOf(scenario.arrivals));
    return query;
  }
  query.set('load', String(scenario.load));
  query.set('windows', String(scenario.windows));
  if (scenario.traffic === 'poisson') query.set('seed', String(scenario.seed));
  return query;
}

/** How long a scenario is looked at, in ms: recorded calls are watched for a window after the last. */
export function spanMsOf(scenario: Scenario): number {
  if ('arrivals' in scenario) return (scenario.arrivals.at(-1) ?? 0) + scenario.windowMs;
  return scenario.windows * scenario.windowMs;
}

interface Bounds {
  least: number;
  most: number;
  usual: number;
}
