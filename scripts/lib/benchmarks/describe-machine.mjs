import os from 'node:os';

/**
 * Describes the machine of a measurement, as part of a sentence.
 *
 * @param {string} [otherWork]  The other work of its cores during the measurement.
 * @returns {string}
 */
export function describeMachine(otherWork = 'serve the page') {
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node.split('.')[0]}, ${os.availableParallelism()} cores (${model}) that also ${otherWork}`;
}
