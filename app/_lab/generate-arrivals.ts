import { findPreset, spread } from './presets';
import type { GeneratedFields, Scenario } from './scenario';

/** 4,000 times of up to seven digits take less than the 32 KiB of a request body. */
const MAX_ARRIVALS = 4_000;

/**
 * Generates the arrivals of a scenario: ascending whole ms from its start, at most 4,000. The result is deterministic. The
 * start is an edge of a fixed window.
 */
export function generateArrivals(scenario: Scenario): number[] {
  return createArrivals(scenario).slice(0, MAX_ARRIVALS);
}

function createArrivals(scenario: Scenario): readonly number[] {
  switch (scenario.traffic) {
    case 'edge':
      return generateEdgeBursts(scenario);
    case 'steady':
      return generateSteady(scenario);
    case 'pulse':
      return generatePulses(scenario);
    case 'poisson':
      return generatePoisson(scenario);
    case 'taps':
    case 'live':
      return scenario.arrivals;
    case 'preset':
      return findPreset(scenario.preset).arrivals;
  }
}

/** Length of a burst, as a share of the window. */
const BURST_SHARE = 0.06;

/**
 * Generates a full limit right before an edge and a full limit right after it. Uses every other edge, so that the effect
 * after an edge is visible.
 */
function generateEdgeBursts(traffic: GeneratedFields): number[] {
  const { windowMs, windows } = traffic;
  const count = getCallsPerWindow(traffic);
  const overMs = windowMs * BURST_SHARE;
  const edges = Array.from({ length: Math.floor(windows / 2) }, (_, index) => (2 * index + 1) * windowMs);
  return edges.flatMap((edge) => [...spread(count, edge - overMs, overMs), ...spread(count, edge, overMs)]);
}

/** Generates evenly spaced calls. */
function generateSteady(traffic: GeneratedFields): number[] {
  const { windowMs, windows } = traffic;
  return spread(getCallsPerWindow(traffic) * windows, 0, windows * windowMs);
}

/** Distance of pulses as a share of the window. Not a divisor of it, so that pulses do not align with edges. */
const PERIOD_SHARE = 0.7;
const PULSE_SHARE = 0.04;

/** Generates short pulses with pauses, so that the average stays low. */
function generatePulses(traffic: GeneratedFields): number[] {
  const { windowMs, windows } = traffic;
  const count = Math.max(1, Math.round(getCallsPerWindow(traffic) * PERIOD_SHARE));
  const starts = Array.from(
    { length: Math.ceil(windows / PERIOD_SHARE) },
    (_, index) => (index + 0.25) * PERIOD_SHARE,
  );
  return starts
    .filter((start) => start + PULSE_SHARE <= windows)
    .flatMap((start) => spread(count, start * windowMs, PULSE_SHARE * windowMs));
}

/** Generates independent calls with exponential gaps. */
function generatePoisson(traffic: GeneratedFields & { seed: number }): number[] {
  const { windowMs, windows, seed } = traffic;
  const meanGapMs = windowMs / getCallsPerWindow(traffic);
  const random = createSeededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; ; ) {
    at += -Math.log(1 - random()) * meanGapMs;
    if (at >= windows * windowMs) return arrivals;
    arrivals.push(Math.floor(at));
  }
}

/** Returns the calls in one window, at least one. */
function getCallsPerWindow({ limit, load }: GeneratedFields): number {
  return Math.max(1, Math.round((limit * load) / 100));
}

/**
 * Creates a reproducible generator of pseudorandom numbers in [0, 1): mulberry32, from
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c.
 */
function createSeededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
