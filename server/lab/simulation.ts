import type { QueueTimers } from '../limiter/queue';

/** Simulated time in ms from 0. Events run one after the other, so a result is the same in each run. */
export interface Simulation {
  readonly timers: QueueTimers;
  /** Runs an event at that time, or now if it has passed. */
  at(time: number, run: () => Promise<void>): void;
  /** Runs all events in order until none is left or `isDone` returns true. `onTime` receives the time before each event. */
  run(options: { isDone: () => boolean; onTime: (time: number) => void; signal: AbortSignal }): Promise<void>;
}

interface Event {
  at: number;
  run: () => Promise<void>;
}

export function createSimulation(): Simulation {
  /** Ascending by time; of the same time, in the order of `at`. */
  let events: Event[] = [];
  let now = 0;

  function add(time: number, run: () => Promise<void>): Event {
    const event = { at: Math.max(now, time), run };
    const last = events.findLastIndex(({ at }) => at <= event.at);
    events.splice(last + 1, 0, event);
    return event;
  }

  return {
    timers: {
      now: () => now,
      start(delayMs, run) {
        const event = add(now + delayMs, run);
        return () => {
          events = events.filter((other) => other !== event);
        };
      },
    },
    at: add,
    async run({ isDone, onTime, signal }) {
      while (!isDone()) {
        const next = events.shift();
        if (!next) return;
        signal.throwIfAborted();
        now = next.at;
        onTime(now);
        await next.run();
      }
    },
  };
}
