import { median } from '../../scripts/lib/benchmarks/median.mjs';

/** Calls between two reads of the clock. A read costs about as much as a cached denial. */
const CALLS_PER_CHECK = 8;

/**
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').SliceOptions} options
 * @returns {Promise<import('./tasks').Slice>}
 */
export async function runSlice(gate, { forMs, inFlight, subjects, levels }) {
  /** @type {number[]} */
  const latencies = [];
  const others = Array.from({ length: levels - 1 }, (_, index) => `all${index}`);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + forMs;
  let calls = 0;
  let admitted = 0;
  const decideNext = () => {
    // A step that shares no factor with the number of subjects visits all of them.
    const subject = `s${(calls * 7919) % subjects}`;
    calls += 1;
    return gate.decide([subject, ...others]);
  };
  const work = async () => {
    while (performance.now() < until) {
      for (let call = 0; call < CALLS_PER_CHECK; call += 1) {
        const answer = decideNext();
        // A synchronous answer needs no `await`.
        if (typeof answer === 'boolean' ? answer : await answer) admitted += 1;
      }
    }
  };
  const workAlone = async () => {
    for (let now = performance.now(); now < until; ) {
      if (await decideNext()) admitted += 1;
      const answeredAt = performance.now();
      latencies.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await (inFlight === 1 ? workAlone() : Promise.all(Array.from({ length: inFlight }, work)));
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    calls,
    admitted,
    perSecond: (calls / tookMs) * 1000,
    cpuUs: (user + system) / calls,
    p50Us: latencies.length > 0 ? median(latencies) * 1000 : undefined,
  };
}
