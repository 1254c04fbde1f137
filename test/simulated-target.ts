import type { Answer, Target, Variation } from '../server/limiter/examine/session';

/** A limiter on a simulated clock. Returns the status and the headers of a call at that time (epoch ms). */
export type SimulatedLimiter = (
  now: number,
  call?: Variation,
) => { status: number; headers?: Record<string, string> };

/** A seeded generator of numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A target on a simulated clock, with the latencies of a busy machine. It keeps the times of admitted calls. */
export function createSimulatedTarget(
  limiter: SimulatedLimiter,
  seed: number,
): Target & { admittedAt: number[] } {
  const random = createRandom(seed);
  const admittedAt: number[] = [];
  // Most waits are short, some are long.
  const delay = () => (random() < 0.02 ? 80 * random() : 0.2 + 3 * random());
  let now = 1e12 + Math.floor(random() * 1e7);
  return {
    admittedAt,
    now: () => now,
    async sleepUntil(instant) {
      now = Math.max(now, instant + delay());
    },
    async send(variation): Promise<Answer> {
      const from = now;
      const decidedAt = from + delay();
      const { status, headers = {} } = limiter(Math.floor(decidedAt), variation);
      if (status === 200) admittedAt.push(decidedAt);
      const to = decidedAt + delay();
      // Calls of one tick are sent at once.
      return Promise.resolve().then(() => {
        now = Math.max(now, to);
        return { status, headers, from, to };
      });
    },
  };
}
