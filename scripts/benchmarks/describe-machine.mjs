import os from 'node:os';

/**
 * What a number was measured on, as a part of a sentence.
 *
 * @returns {string}
 */
export function describeMachine() {
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node.split('.')[0]}, ${os.availableParallelism()} cores (${model}) that also serve the page`;
}
