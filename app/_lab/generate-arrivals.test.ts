import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateArrivals } from './generate-arrivals';
import { bounds, getSpanMs, parseScenario, type Scenario } from './scenario';

const scenario = (query: string) => parseScenario(new URLSearchParams(query));
const within = ({ min, max }: { min: number; max: number }) => fc.integer({ min: min, max: max });
const generated = {
  limit: within(bounds.limit),
  windowMs: within(bounds.windowMs),
  subWindows: within(bounds.subWindows),
  load: within(bounds.load),
  windows: within(bounds.windows),
};
const scenarios: fc.Arbitrary<Scenario> = fc.oneof(
  fc.record({ ...generated, traffic: fc.constantFrom('edge', 'steady', 'pulse') }),
  fc.record({ ...generated, traffic: fc.constant('poisson'), seed: within(bounds.seed) }),
);

test('arrivals are ascending whole ms within the scenario, at most 4 000, and reproducible', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const arrivals = generateArrivals(scenario);
      expect(arrivals).toEqual(generateArrivals(scenario));
      expect(arrivals.length).toBeGreaterThan(scenario.traffic === 'poisson' ? -1 : 0);
      expect(arrivals.length).toBeLessThanOrEqual(4_000);
      expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
      const spanMs = getSpanMs(scenario);
      expect(arrivals.filter((at) => !Number.isInteger(at) || at < 0 || at >= spanMs)).toEqual([]);
    }),
  );
});

test('the largest scenario fits into one request', () => {
  const largest = scenario('traffic=poisson&limit=200&window=600000&load=300&windows=6');
  // The names of five algorithms, two numbers and an id take less than 400 bytes.
  expect(JSON.stringify(generateArrivals(largest)).length + 400).toBeLessThan(32 * 1_024);
});

test('edge: a full limit right before the edge and right after it', () => {
  // 6 % of 1 000 ms are 60, in three steps of 20.
  expect(generateArrivals(scenario('traffic=edge&limit=3&window=1000'))).toEqual([
    ...[940, 960, 980],
    ...[1_000, 1_020, 1_040],
  ]);
});

test('steady: 150 % of 2 calls a second are 3 calls a second', () => {
  const arrivals = generateArrivals(scenario('traffic=steady&limit=2&window=1000&load=150&windows=2'));
  expect(arrivals).toEqual([0, 333, 666, 1_000, 1_333, 1_666]);
});

test('pulse: each pulse has 70 % of the calls of a window, with one pulse every 0.7 windows', () => {
  const arrivals = generateArrivals(scenario('traffic=pulse&limit=4&window=1000&windows=2'));
  // 2.8 calls are 3, within 40 ms, from 175 + 700 n on.
  expect(arrivals).toEqual([175, 188, 201, 875, 888, 901, 1_575, 1_588, 1_601]);
});

test('poisson: the average matches the load, and another seed gives other calls', () => {
  const query = 'traffic=poisson&limit=200&load=300&windows=6';
  const { length } = generateArrivals(scenario(query));
  // 3 600 expected, with a standard deviation of 60.
  expect(length).toBeGreaterThan(3_300);
  expect(length).toBeLessThan(3_900);
  expect(generateArrivals(scenario(query))).not.toEqual(generateArrivals(scenario(`${query}&seed=8`)));
});

test('taps and live calls keep their recorded times', () => {
  expect(generateArrivals(scenario('traffic=taps&at=0.a.a'))).toEqual([0, 10, 20]);
  expect(generateArrivals(scenario('traffic=live&at=0..a'))).toEqual([0, 0, 10]);
});
