import { median } from '../../scripts/benchmarks/median.mjs';

/**
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').SliceOrder} order
 * @returns {Promise<import('./tasks').Slice>}
 */
export async function runSlice(gate, { forMs, inFlight, subjects, levels }) {
  /** @type {number[]} */
  const latencies = [];
  const others = Array.from({ length: levels - 1 }, (_, place) => `all${place}`);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + forMs;
  let calls = 0;
  let admitted = 0;
  const work = async () => {
    for (let now = performance.now(); now < until; ) {
      // A step that shares no factor with the number of subjects visits all of them.
      const subject = `s${(calls * 7919) % subjects}`;
      calls += 1;
      if (await gate.decide([subject, ...others])) admitted += 1;
      const answeredAt = performance.now();
      if (inFlight === 1) latencies.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
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
