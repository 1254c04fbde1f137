import type { Algorithm } from '../server/limiter/policy';

export interface LevelNumbers {
  limit: number;
  windowMs: number;
  subWindows: number;
}

/** The decision of decide.lua on one level. */
export interface Verdict {
  now: number;
  allowed: boolean;
  used: number;
  retryAfterMs: number;
  resetMs: number;
  delayMs: number;
}

/** One admitted unit. */
interface Unit {
  hit: number;
  /** Of a sliding counter: the last instant of its sub-window, which later admitted calls may lower. */
  subWindowEnd: number;
  /** Of a bucket: the end of its share of the window, in units of `1 / limit` ms, so that it is an integer. */
  spacingEnds: bigint;
}

/**
 * The instant at which a unit leaves: the only difference between the algorithms. `newest` is the last hit. The numbers of
 * a bucket must not change between calls.
 */
const returnInstants = {
  'sliding-log': ({ hit }, { windowMs }) => hit + windowMs,
  'sliding-counter': ({ subWindowEnd }, numbers, newest) =>
    Math.min(subWindowEnd, subWindowEndOf(newest, numbers)) + numbers.windowMs,
  'fixed-window': (_unit, { windowMs }, newest) => (Math.floor(newest / windowMs) + 1) * windowMs,
  'token-bucket': ({ spacingEnds }, { limit }) => toMs(spacingEnds, limit),
  'leaky-bucket': ({ spacingEnds }, { limit }) => toMs(spacingEnds, limit),
} satisfies Record<Algorithm, (unit: Unit, numbers: LevelNumbers, newest: number) => number>;

/** Returns the last millisecond of the sub-window of an instant. */
function subWindowEndOf(instant: number, { windowMs, subWindows }: LevelNumbers): number {
  const subWindowMs = Math.ceil(windowMs / subWindows);
  return (Math.floor(instant / subWindowMs) + 1) * subWindowMs - 1;
}

function toMs(scaled: bigint, limit: number): number {
  const scale = BigInt(limit);
  return Number((scaled + scale - 1n) / scale);
}

/** Creates an algorithm from its definition: it stores every admitted unit until the unit leaves. */
export function createOracle(algorithm: Algorithm) {
  let units: Unit[] = [];
  let newest = 0;

  /** Decides a call of `cost` units and charges it if it fits; cost 0 peeks. */
  return function call(clock: number, cost: number, numbers: LevelNumbers): Verdict {
    const { limit, windowMs } = numbers;
    const now = Math.max(clock, newest);
    const returnsAt = (unit: Unit) => returnInstants[algorithm](unit, numbers, newest);

    let out = units.filter((unit) => returnsAt(unit) > now);
    const waitFor = (count: number) => {
      const mustReturn = out[out.length + count - limit - 1];
      return mustReturn ? returnsAt(mustReturn) - clock : 0;
    };
    const queueEnds = () => out.at(-1)?.spacingEnds ?? BigInt(now) * BigInt(limit);

    let retryAfterMs = waitFor(Math.max(cost, 1));
    const hasRoom = retryAfterMs === 0;
    const delayMs = algorithm === 'leaky-bucket' && hasRoom ? toMs(queueEnds(), limit) - clock : 0;
    if (hasRoom && cost > 0) {
      const newestEnd = subWindowEndOf(newest, numbers);
      out = out.map((unit) => ({ ...unit, subWindowEnd: Math.min(unit.subWindowEnd, newestEnd) }));
      for (let unit = 0; unit < cost; unit += 1) {
        out.push({
          hit: now,
          subWindowEnd: subWindowEndOf(now, numbers),
          spacingEnds: queueEnds() + BigInt(windowMs),
        });
      }
      units = out;
      newest = now;
      retryAfterMs = waitFor(1);
    }
    const [oldest] = out;
    const resetMs = oldest ? returnsAt(oldest) - clock : 0;
    return { now, allowed: hasRoom || cost === 0, used: out.length, retryAfterMs, resetMs, delayMs };
  };
}
