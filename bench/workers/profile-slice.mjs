import { Session } from 'node:inspector/promises';
import { runSlice } from './run-slice.mjs';

/**
 * Runs a slice under V8's profiler.
 *
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').SliceOrder} order
 * @returns {Promise<Record<string, number>>} Shares of the time that was not idle, by where the functions stand.
 */
export async function profileSlice(gate, order) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await runSlice(gate, order);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();

  const placeOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  /** @type {Record<string, number>} */
  const samples = {};
  let busy = 0;
  for (const id of profile.samples ?? []) {
    const part = placeOf.get(id);
    if (part === undefined) continue;
    samples[part] = (samples[part] ?? 0) + 1;
    busy += 1;
  }
  return Object.fromEntries(Object.entries(samples).map(([part, count]) => [part, count / busy]));
}

/** @param {import('node:inspector').Runtime.CallFrame} frame */
function partOf({ functionName, url }) {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (functionName === '(program)') return 'native';
  if (url.includes('/node_modules/')) return 'client and parser';
  if (url.includes('/dist/bench-')) return 'limiter';
  if (url.startsWith('file:')) return 'benchmark';
  return 'Node';
}
