import { setTimeout as after } from 'node:timers/promises';

/**
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').BurstsOptions} options
 * @returns {Promise<import('./tasks').AdmittedSpans>}
 */
export async function playBursts(gate, { startUs, bursts }) {
  const sinceStartMs = () => Number(process.hrtime.bigint() / 1000n - BigInt(startUs)) / 1000;
  /** @type {Promise<[number, number] | undefined>[]} */
  const sent = [];
  const send = async () => {
    const sentAt = sinceStartMs();
    const isAdmitted = await gate.decide(['s0']);
    /** @type {[number, number]} */
    const span = [sentAt, sinceStartMs()];
    return isAdmitted ? span : undefined;
  };
  for (const { atMs, calls } of bursts) {
    await after(Math.max(0, atMs - sinceStartMs()));
    for (let call = 0; call < calls; call += 1) sent.push(send());
  }
  const spans = await Promise.all(sent);
  return spans.filter((span) => span !== undefined);
}
