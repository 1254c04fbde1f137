import { type Clock, stopwatch } from './clock';

/** The time that limits and sales are decided by: Redis's clock, as well as a browser can know it. Epoch ms. */
export interface ServerClock extends Clock {
  /** Notes an instant that the server has just sent. */
  observe(serverNow: number): void;
  /** False until the first observation; then `now` is this machine's own opinion. */
  isSet(): boolean;
}

/** Samples that the best of which counts; older ones go, so that a clock that was set back is believed in the end. */
const kept = 16;

/**
 * Every sample is late by its way through the network, so the greatest of the recent offsets is the nearest to the truth.
 * Between samples it counts on by the stopwatch.
 */
export function createServerClock(elapsed: Clock = stopwatch): ServerClock {
  const offsets: number[] = [];
  return {
    observe(serverNow) {
      offsets.push(serverNow - elapsed.now());
      if (offsets.length > kept) offsets.shift();
    },
    isSet: () => offsets.length > 0,
    now: () => (offsets.length === 0 ? Date.now() : Math.max(...offsets) + elapsed.now()),
  };
}
