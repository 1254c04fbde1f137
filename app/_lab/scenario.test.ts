import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { presets } from './presets';
import {
  bounds,
  decodeOffsets,
  encodeOffsets,
  encodeScenario,
  getSpanMs,
  MAX_OFFSETS,
  parseScenario,
  type Scenario,
  toDraft,
  toScenario,
} from './scenario';

const within = ({ min, max }: { min: number; max: number }) => fc.integer({ min: min, max: max });
const limitFields = {
  limit: within(bounds.limit),
  windowMs: within(bounds.windowMs),
  subWindows: within(bounds.subWindows),
};
const generated = { ...limitFields, load: within(bounds.load), windows: within(bounds.windows) };
const arrivals = fc
  .array(fc.integer({ min: 0, max: 3_600_000 }), { maxLength: 1_000 })
  .map((offsets) => offsets.toSorted((a, b) => a - b));

const scenarios: fc.Arbitrary<Scenario> = fc.oneof(
  fc.record({ ...generated, traffic: fc.constantFrom('edge', 'steady', 'pulse') }),
  fc.record({ ...generated, traffic: fc.constant('poisson'), seed: within(bounds.seed) }),
  fc.record({ ...limitFields, traffic: fc.constantFrom('taps', 'live'), arrivals }),
  fc.record({
    ...limitFields,
    traffic: fc.constant('preset'),
    preset: fc.constantFrom(...presets.map(({ name }) => name)),
  }),
);

test('a URL carries the whole scenario', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      expect(parseScenario(new URLSearchParams(encodeScenario(scenario).toString()))).toEqual(scenario);
    }),
  );
});

test('numbers are within their bounds for any URL', () => {
  const names = ['traffic', 'limit', 'window', 'load', 'windows', 'seed', 'at', 'subwindows', 'preset'];
  const queries = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.float().map(String)));
  fc.assert(
    fc.property(queries, (query) => {
      const scenario = parseScenario(new URLSearchParams(query));
      expect(parseScenario(encodeScenario(scenario))).toEqual(scenario);
      expect(scenario.limit).toBeGreaterThanOrEqual(bounds.limit.min);
      expect(scenario.limit).toBeLessThanOrEqual(bounds.limit.max);
    }),
  );
});

test.each([
  ['', { traffic: 'edge', limit: 10, windowMs: 10_000, load: 100, windows: 3, subWindows: 10 }],
  ['traffic=flood', { traffic: 'edge', limit: 10, windowMs: 10_000, load: 100, windows: 3, subWindows: 10 }],
  [
    'limit=0&window=1e9&load=-5',
    { traffic: 'edge', limit: 1, windowMs: 600_000, load: 10, windows: 3, subWindows: 10 },
  ],
  [
    'traffic=poisson',
    { traffic: 'poisson', limit: 10, windowMs: 10_000, load: 100, windows: 3, subWindows: 10, seed: 7 },
  ],
  [
    'traffic=taps&limit=3&at=0.5k',
    { traffic: 'taps', limit: 3, windowMs: 10_000, arrivals: [0, 200], subWindows: 10 },
  ],
  ['subwindows=0', { traffic: 'edge', limit: 10, windowMs: 10_000, load: 100, windows: 3, subWindows: 1 }],
  ['traffic=preset', { traffic: 'preset', preset: 'sixth-call', limit: 5, windowMs: 60_000, subWindows: 10 }],
  [
    'traffic=preset&preset=claim&limit=4&subwindows=100',
    { traffic: 'preset', preset: 'claim', limit: 4, windowMs: 60_000, subWindows: 100 },
  ],
])('"%s" is read as %j', (query, scenario) => {
  expect(parseScenario(new URLSearchParams(query))).toEqual(scenario);
});

test('a recording spans one window after its last call', () => {
  expect(getSpanMs(parseScenario(new URLSearchParams('traffic=taps&window=1000&at=0.5k')))).toBe(1_200);
  expect(getSpanMs(parseScenario(new URLSearchParams('traffic=steady&window=1000&windows=4')))).toBe(4_000);
});

test.each(['traffic=edge&load=150', 'traffic=poisson&seed=3', 'traffic=taps&at=0.5', 'traffic=live&at=1.1'])(
  'a form preserves the scenario %s',
  (query) => {
    const scenario = parseScenario(new URLSearchParams(query));
    expect(toScenario(toDraft(scenario))).toEqual(scenario);
  },
);

test('switching the traffic keeps taps and numbers', () => {
  const draft = toDraft(parseScenario(new URLSearchParams('traffic=taps&at=0.5')));
  const switched = toScenario({ ...draft, traffic: 'steady', load: 200 });
  expect(switched).toMatchObject({ traffic: 'steady', load: 200 });
  expect(toScenario({ ...draft, load: 200 })).toMatchObject({ arrivals: [0, 5] });
});

describe('offsets of a recording', () => {
  test('offsets are encoded as steps in base 36', () => {
    expect(encodeOffsets([0, 250, 250, 1_000])).toBe('0.6y..ku');
    expect(decodeOffsets('0.6y..ku')).toEqual([0, 250, 250, 1_000]);
  });

  test.each([
    ['', []],
    ['0', [0]],
    // -1 is invalid and ends the list.
    ['5.-1.3', [5]],
    // 36^4 x 3 = 5 038 848 ms are more than an hour.
    ['1.30000', [1]],
  ])('%j is read as %j', (text, offsets) => {
    expect(decodeOffsets(text)).toEqual(offsets);
  });

  test('a URL carries at most 1,000 offsets', () => {
    expect(decodeOffsets(Array.from({ length: MAX_OFFSETS + 1 }, () => '1').join('.'))).toHaveLength(
      MAX_OFFSETS,
    );
  });
});
