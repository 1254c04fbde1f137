import type { Algorithm } from '../server/limiter/policy';

export interface Numbers {
  limit: number;
  windowMs: number;
  subWindows: number;
}

/** What decide.lua has to say of one level. */
export interface Verdict {
  now: number;
  allowed: boolean;
  used: number;
  retryAfterMs: number;
  resetMs: number;
  delayMs: number;
}

/** One admitted unit, and when its turn is over in a bucket: in `1 / limit` milliseconds, so that it is whole. */
interface Unit {
  hit: number;
  turnEnds: bigint;
}

/**
 * When a unit comes back, in `1 / limit` milliseconds: all in which the algorithms differ.
 * Numbers of a bucket must not change, those of the others may.
 */
const returnOf = {
  'sliding-log': ({ hit }, { limit, windowMs }) => BigInt(hit + windowMs) * BigInt(limit),
  'sliding-counter': ({ hit }, { limit, windowMs, subWindows }) => {
    const partMs = Math.ceil(windowMs / subWindows);
    const lastMsOfPart = (Math.floor(hit / partMs) + 1) * partMs - 1;
    return BigInt(lastMsOfPart + windowMs) * BigInt(limit);
  },
  'fixed-window': ({ hit }, { limit, windowMs }) =>
    BigInt((Math.floor(hit / windowMs) + 1) * windowMs) * BigInt(limit),
  'token-bucket': ({ turnEnds }) => turnEnds,
  'leaky-bucket': ({ turnEnds }) => turnEnds,
} satisfies Record<Algorithm, (unit: Unit, numbers: Numbers) => bigint>;

/** An algorithm by its definition: every admitted unit is remembered until it comes back. */
export function createOracle(algorithm: Algorithm) {
  let units: Unit[] = [];
  let newest = 0;

  /** Decides a call of `cost` units and charges it if it fits; cost 0 looks. */
  return function call(clock: number, cost: number, numbers: Numbers): Verdict {
    const { limit, windowMs } = numbers;
    const now = Math.max(clock, newest);
    const scale = BigInt(limit);
    const toMs = (scaled: bigint) => Number((scaled + scale - 1n) / scale);
    const returnsAt = (unit: Unit) => returnOf[algorithm](unit, numbers);

    let out = units.filter((unit) => returnsAt(unit) > BigInt(now) * scale);
    const waitFor = (wanted: number) => {
      const mustReturn = out[out.length + wanted - limit - 1];
      return mustReturn ? toMs(returnsAt(mustReturn)) - clock : 0;
    };
    const queueEnds = () => [BigInt(now) * scale, ...out.map(({ turnEnds }) => turnEnds)].at(-1) ?? 0n;

    let retryAfterMs = waitFor(Math.max(cost, 1));
    const hasRoom = retryAfterMs === 0;
    const delayMs = algorithm === 'leaky-bucket' && hasRoom ? toMs(queueEnds()) - clock : 0;
    if (hasRoom && cost > 0) {
      for (let unit = 0; unit < cost; unit++) {
        out = [...out, { hit: now, turnEnds: queueEnds() + BigInt(windowMs) }];
      }
      units = out;
      newest = now;
      retryAfterMs = waitFor(1);
    }
    const [oldest] = out;
    const resetMs = oldest ? toMs(returnsAt(oldest)) - clock : 0;
    return { now, allowed: hasRoom || cost === 0, used: out.length, retryAfterMs, resetMs, delayMs };
  };
}
