import { findPreset, type PresetName, presets } from './presets';

/** Kinds of traffic. The first four are generated, `preset` is a row of `presets`, the others are recorded. */
export const traffics = ['edge', 'steady', 'pulse', 'poisson', 'taps', 'live', 'preset'] as const;
export type Traffic = (typeof traffics)[number];

interface LimitFields {
  /** Limit in units: 1 to 200. */
  limit: number;
  /** Window length in ms: 100 to 600 000. */
  windowMs: number;
  /** Sub-windows of the sliding counter: 1 to 100. */
  subWindows: number;
}

/** Amount and duration of generated traffic. */
export interface GeneratedFields extends LimitFields {
  /** Calls in a window, in percent of the limit: 10 to 300. */
  load: number;
  /** Length in windows: 2 to 6. */
  windows: number;
}

/** The traffic and the limit of one experiment. A URL carries all of it. */
export type Scenario =
  | (GeneratedFields & { traffic: 'edge' | 'steady' | 'pulse' })
  /** The same seed generates the same calls: 0 to 999 999. */
  | (GeneratedFields & { traffic: 'poisson'; seed: number })
  /** Offsets from the first call in ms, ascending: at most 1 000 within one hour. */
  | (LimitFields & { traffic: 'taps' | 'live'; arrivals: readonly number[] })
  | (LimitFields & { traffic: 'preset'; preset: PresetName });

/** Bounds of each number, and its value if the URL has none or an invalid one. */
export const bounds = {
  limit: { min: 1, max: 200, initial: 10 },
  windowMs: { min: 100, max: 600_000, initial: 10_000 },
  load: { min: 10, max: 300, initial: 100 },
  windows: { min: 2, max: 6, initial: 3 },
  seed: { min: 0, max: 999_999, initial: 7 },
  subWindows: { min: 1, max: 100, initial: 10 },
} as const;

/** Parses a scenario from a URL. Never fails: numbers are clamped to their bounds, other invalid values get the default. */
export function parseScenario(query: URLSearchParams): Scenario {
  const number = (name: string, { min, max, initial }: Bounds) => {
    const text = query.get(name);
    const value = text === null || text === '' ? Number.NaN : Math.round(Number(text));
    return Number.isNaN(value) ? initial : Math.min(max, Math.max(min, value));
  };
  const traffic = traffics.find((known) => known === query.get('traffic')) ?? traffics[0];
  const preset = findPreset(query.get('preset'));
  const limitFields = {
    limit: number('limit', { ...bounds.limit, ...(traffic === 'preset' && { initial: preset.limit }) }),
    windowMs: number('window', {
      ...bounds.windowMs,
      ...(traffic === 'preset' && { initial: preset.windowMs }),
    }),
    subWindows: number('subwindows', bounds.subWindows),
  };
  if (traffic === 'preset') return { ...limitFields, traffic, preset: preset.name };
  if (traffic === 'taps' || traffic === 'live') {
    return { ...limitFields, traffic, arrivals: decodeOffsets(query.get('at') ?? '') };
  }
  const generated = {
    ...limitFields,
    load: number('load', bounds.load),
    windows: number('windows', bounds.windows),
  };
  return traffic === 'poisson'
    ? { ...generated, traffic, seed: number('seed', bounds.seed) }
    : { ...generated, traffic };
}

/** Encodes a scenario for a URL. `parseScenario` is the inverse. */
export function encodeScenario(scenario: Scenario): URLSearchParams {
  const { traffic, limit, windowMs, subWindows } = scenario;
  const query = new URLSearchParams({ traffic, limit: String(limit), window: String(windowMs) });
  if (subWindows !== bounds.subWindows.initial) query.set('subwindows', String(subWindows));
  if (scenario.traffic === 'preset') {
    query.set('preset', scenario.preset);
    return query;
  }
  if ('arrivals' in scenario) {
    query.set('at', encodeOffsets(scenario.arrivals));
    return query;
  }
  query.set('load', String(scenario.load));
  query.set('windows', String(scenario.windows));
  if (scenario.traffic === 'poisson') query.set('seed', String(scenario.seed));
  return query;
}

/** The state of the form. It holds the fields of every kind of traffic, so that switching the traffic loses nothing. */
export interface Draft {
  traffic: Traffic;
  limit: number;
  windowMs: number;
  subWindows: number;
  load: number;
  windows: number;
  seed: number;
  taps: readonly number[];
  live: readonly number[];
  preset: PresetName;
}

/** Fills the form from a scenario. Fields that the scenario lacks get their initial values. */
export function toDraft(scenario: Scenario): Draft {
  return {
    load: bounds.load.initial,
    windows: bounds.windows.initial,
    seed: bounds.seed.initial,
    taps: [],
    live: [],
    preset: presets[0].name,
    ...scenario,
    ...('arrivals' in scenario && { [scenario.traffic]: scenario.arrivals }),
  };
}

/** Returns the scenario of the form. It contains only the fields that its kind of traffic uses. */
export function toScenario(draft: Draft): Scenario {
  const { traffic, limit, windowMs, subWindows, load, windows, seed } = draft;
  const limitFields = { limit, windowMs, subWindows };
  switch (traffic) {
    case 'preset':
      return { ...limitFields, traffic, preset: draft.preset };
    case 'taps':
    case 'live':
      return { ...limitFields, traffic, arrivals: draft[traffic] };
    case 'poisson':
      return { ...limitFields, traffic, load, windows, seed };
    default:
      return { ...limitFields, traffic, load, windows };
  }
}

/** Returns the length of a scenario in ms. A recording or a preset spans one window after its last call. */
export function getSpanMs(scenario: Scenario): number {
  if (scenario.traffic === 'preset') {
    return (findPreset(scenario.preset).arrivals.at(-1) ?? 0) + scenario.windowMs;
  }
  if ('arrivals' in scenario) return (scenario.arrivals.at(-1) ?? 0) + scenario.windowMs;
  return scenario.windows * scenario.windowMs;
}

interface Bounds {
  min: number;
  max: number;
  initial: number;
}

/** Fits into a URL that servers and chat programs accept. */
export const MAX_OFFSETS = 1_000;
const MAX_SPAN_MS = 3_600_000;

/**
 * Encodes ascending offsets as steps in base 36. A step of 0 is empty. Example: 0, 250, 250 and 1 000 become `0.6y..ku`.
 */
export function encodeOffsets(offsets: readonly number[]): string {
  return offsets
    .map((offset, index) => {
      const step = offset - (offsets[index - 1] ?? 0);
      return step === 0 && index > 0 ? '' : step.toString(36);
    })
    .join('.');
}

/**
 * Decodes the text of `encodeOffsets`. The list ends before an invalid step, before the 1,001st offset, and before the
 * first offset after one hour.
 */
export function decodeOffsets(text: string): number[] {
  const offsets: number[] = [];
  if (text === '') return offsets;
  let at = 0;
  for (const step of text.split('.')) {
    if (!/^[0-9a-z]{0,5}$/.test(step)) break;
    at += step === '' ? 0 : Number.parseInt(step, 36);
    if (at > MAX_SPAN_MS || offsets.length === MAX_OFFSETS) break;
    offsets.push(at);
  }
  return offsets;
}
