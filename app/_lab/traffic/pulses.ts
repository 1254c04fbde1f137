import { getCallsPerWindow, spreadEvenly, type TrafficLoad } from './traffic-load';

/** Distance of pulses as a share of the window. Not a divisor of it, so that pulses do not align with edges. */
const PERIOD_SHARE = 0.7;
const PULSE_SHARE = 0.04;

/** Generates short pulses with pauses, so that the average stays low. */
export function generatePulses(demand: TrafficLoad): number[] {
  const { windowMs, windows } = demand;
  const count = Math.max(1, Math.round(getCallsPerWindow(demand) * PERIOD_SHARE));
  const starts = Array.from(
    { length: Math.ceil(windows / PERIOD_SHARE) },
    (_, index) => (index + 0.25) * PERIOD_SHARE,
  );
  return starts
    .filter((start) => start + PULSE_SHARE <= windows)
    .flatMap((start) => spreadEvenly({ count, from: start * windowMs, overMs: PULSE_SHARE * windowMs }));
}
