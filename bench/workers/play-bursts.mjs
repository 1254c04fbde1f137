import { setTimeout as after } from 'node:timers/promises';

/**
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').BurstsOrder} order
 * @returns {Promise<import('./tasks').Played>}
 */
export async function playBursts(gate, { startUs, bursts }) {
  const sinceStartMs = () => Number(process.hrtime.bigint() / 1000n - BigInt(startUs)) / 1000;
  /** @type {Promise<[number, number] | undefined>[]} */
  const asked = [];
  const ask = async () => {
    const askedAt = sinceStartMs();
    const isAdmitted = await gate.decide(['s0']);
    /** @type {[number, number]} */
    const span = [askedAt, sinceStartMs()];
    return isAdmitted ? span : undefined;
  };
  for (const { atMs, calls } of bursts) {
    await after(Math.max(0, atMs - sinceStartMs()));
    for (let call = 0; call < calls; call += 1) asked.push(ask());
  }
  const spans = await Promise.all(asked);
  return { asked: asked.length, admitted: spans.filter((span) => span !== undefined) };
}
