import { callsPerWindow, type Demand, evenly } from './demand';

/** From one pulse to the next, in shares of the window: no whole part of it, so that no edge hides them. */
const period = 0.7;
const length = 0.04;

/** Short pulses, silence between them: an average that looks harmless. */
export function pulses(demand: Demand): number[] {
  const { windowMs, windows } = demand;
  const count = Math.max(1, Math.round(callsPerWindow(demand) * period));
  const starts = Array.from({ length: Math.ceil(windows / period) }, (_, place) => (place + 0.25) * period);
  return starts
    .filter((start) => start + length <= windows)
    .flatMap((start) => evenly({ count, from: start * windowMs, overMs: length * windowMs }));
}
