import { Session } from 'node:inspector/promises';
import { runSlice } from './run-slice.mjs';

/**
 * Runs a slice under V8's profiler.
 *
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {import('./tasks').SliceOptions} options
 * @returns {Promise<Record<string, number>>} Shares of the busy time by the source of the functions.
 */
export async function profileSlice(gate, options) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await runSlice(gate, options);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();

  const sources = new Map(profile.nodes.map(({ id, callFrame }) => [id, sourceOf(callFrame)]));
  /** @type {Record<string, number>} */
  const samples = {};
  let busy = 0;
  for (const id of profile.samples ?? []) {
    const source = sources.get(id);
    if (source === undefined) continue;
    samples[source] = (samples[source] ?? 0) + 1;
    busy += 1;
  }
  return Object.fromEntries(Object.entries(samples).map(([source, count]) => [source, count / busy]));
}

/** @param {import('node:inspector').Runtime.CallFrame} frame */
function sourceOf({ functionName, url }) {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (functionName === '(program)') return 'native';
  if (url.includes('/node_modules/')) return 'client and parser';
  if (url.includes('/dist/bench-')) return 'limiter';
  if (url.startsWith('file:')) return 'benchmark';
  return 'Node';
}
