import os from 'node:os';

/**
 * What a number was measured on, as a part of a sentence.
 *
 * @param {string} [alsoDo]  What else its cores do meanwhile.
 * @returns {string}
 */
export function describeMachine(alsoDo = 'serve the page') {
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node.split('.')[0]}, ${os.availableParallelism()} cores (${model}) that also ${alsoDo}`;
}
