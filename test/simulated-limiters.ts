import type { AlgorithmName } from '../server/limiter/examine/models';
import type { SimulatedLimiter } from './simulated-target';

const limit = 10;
const windowMs = 2_000;
const toStatus = (allowed: boolean) => ({ status: allowed ? 200 : 429 });

/** Plain limiters of 10 in 2 s, each with its right name. `+` after a name: refused calls count. */
export const simulatedLimiters: Record<string, { name: AlgorithmName; create: () => SimulatedLimiter }> = {
  'fixed window': {
    name: 'fixed-window',
    create() {
      const counts = new Map<number, number>();
      return (now) => {
        const key = Math.floor((now + 777) / windowMs);
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        return toStatus(count <= limit);
      };
    },
  },
  'first hit': { name: 'first-hit-window', create: () => createFirstHit('none') },
  'first hit, each call renews': { name: 'first-hit-window', create: () => createFirstHit('calls') },
  'first hit, a refusal renews': { name: 'first-hit-window', create: () => createFirstHit('refusals') },
  log: { name: 'sliding-log', create: () => createLog(false) },
  'log, add first': { name: 'sliding-log', create: () => createLog(true) },
  'two windows': { name: 'two-window-counter', create: () => createTwoWindows(false) },
  'two windows, refused count': { name: 'two-window-counter', create: () => createTwoWindows(true) },
  'sub-windows until their end': { name: 'sliding-counter', create: () => createSubWindows(10, 1) },
  'sub-windows until their start': { name: 'sliding-counter', create: () => createSubWindows(10, 0) },
  'five sub-windows': { name: 'sliding-counter', create: () => createSubWindows(5, 0) },
  'token bucket': {
    name: 'token-bucket',
    create() {
      let tokens = limit;
      let last = 0;
      return (now) => {
        tokens = Math.min(limit, tokens + ((now - last) * limit) / windowMs);
        last = now;
        if (tokens < 1) return toStatus(false);
        tokens -= 1;
        return toStatus(true);
      };
    },
  },
  'token bucket in steps': {
    name: 'token-bucket',
    create() {
      const stepMs = windowMs / limit;
      let bucket = { tokens: limit, at: 0, expires: 0 };
      return (now) => {
        if (now >= bucket.expires) bucket = { tokens: limit, at: now, expires: 0 };
        const steps = Math.floor((now - bucket.at) / stepMs);
        const tokens = Math.min(limit, bucket.tokens + steps);
        if (tokens < 1) return toStatus(false);
        bucket = {
          tokens: tokens - 1,
          at: bucket.at + steps * stepMs,
          expires: now + (limit - tokens + 1) * stepMs,
        };
        return toStatus(true);
      };
    },
  },
};

function createFirstHit(renewedBy: 'none' | 'calls' | 'refusals'): SimulatedLimiter {
  let window = { count: 0, end: 0 };
  return (now) => {
    if (now >= window.end) window = { count: 0, end: now + windowMs };
    const isRefused = window.count >= limit;
    if (renewedBy === 'calls' || (renewedBy === 'refusals' && isRefused)) window.end = now + windowMs;
    window.count += 1;
    return toStatus(!isRefused);
  };
}

function createLog(countsRefusals: boolean): SimulatedLimiter {
  let hits: number[] = [];
  return (now) => {
    hits = hits.filter((at) => now - at < windowMs);
    const allowed = hits.length < limit;
    if (allowed || countsRefusals) hits.push(now);
    return toStatus(allowed);
  };
}

function createTwoWindows(countsRefusals: boolean): SimulatedLimiter {
  const counts = new Map<number, number>();
  return (now) => {
    const key = Math.floor(now / windowMs);
    const current = counts.get(key) ?? 0;
    const part = 1 - (now % windowMs) / windowMs;
    const allowed = Math.floor((counts.get(key - 1) ?? 0) * part) + current < limit;
    if (allowed || countsRefusals) counts.set(key, current + 1);
    return toStatus(allowed);
  };
}

function createSubWindows(subWindows: number, keptMore: 0 | 1): SimulatedLimiter {
  const counts = new Map<number, number>();
  const lengthMs = windowMs / subWindows;
  return (now) => {
    const key = Math.floor(now / lengthMs);
    let used = 0;
    for (let index = key - subWindows + 1 - keptMore; index <= key; index += 1)
      used += counts.get(index) ?? 0;
    if (used >= limit) return toStatus(false);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return toStatus(true);
  };
}
