import type { DecidingLimiter } from '../limiter';

/**
 * Returns a limiter for one request, whose calls share their peeks: a batch of ten `limit.mine` reads each policy once,
 * not ten times.
 */
export function sharePeeks(limiter: DecidingLimiter): DecidingLimiter {
  let peeks: Map<string, ReturnType<DecidingLimiter['peek']>> | undefined;
  return {
    decide: limiter.decide,
    releaseRequestId: limiter.releaseRequestId,
    peek(policy, options) {
      peeks ??= new Map();
      const key = JSON.stringify([policy.name, options.subjects, options.levels]);
      const peek = peeks.get(key) ?? limiter.peek(policy, options);
      peeks.set(key, peek);
      return peek;
    },
  };
}
