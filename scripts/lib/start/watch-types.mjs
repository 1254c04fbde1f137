import { runCommand } from '../run-command.mjs';
import { typeCheckArgs } from '../type-check.mjs';

/**
 * Checks the types of the server and the pages after each change, during `npm run dev`. Prints the errors, and one line
 * when the last is fixed. Runs until `stopCommands`.
 *
 * @param {{ project?: string, print?: (text: string) => void }} [options]
 */
export async function watchTypes({ project, print = console.error } = {}) {
  const args = [...typeCheckArgs(project), '--watch', '--preserveWatchOutput', '--pretty', 'false'];
  await runCommand(process.execPath, args, { onOutput: createTypeReport(print) });
}

/**
 * Creates a function that reads the output of `tsc --watch`. It prints the errors of a run if they differ from the last
 * ones, and one line when no errors remain.
 *
 * @param {(text: string) => void} print
 * @returns {(chunk: string) => void}
 */
export function createTypeReport(print) {
  let pending = '';
  let shown = '';

  return function report(chunk) {
    pending += chunk;
    for (;;) {
      const end = /^.*Found (\d+) errors?\..*\n/m.exec(pending);
      if (!end) return;
      const errors = describeErrors(pending.slice(0, end.index), Number(end[1]));
      pending = pending.slice(end.index + end[0].length);
      if (errors !== shown) print(errors || 'No type errors.');
      shown = errors;
    }
  };
}

/**
 * Returns the errors of a run and their number, without the lines of its start. Empty without errors.
 *
 * @param {string} run
 * @param {number} count
 */
function describeErrors(run, count) {
  if (count === 0) return '';
  const lines = run.split('\n').filter((line) => line.trim() !== '' && !/^\d+:\d+:\d+/.test(line));
  return [...lines, `${count} type error${count === 1 ? '' : 's'}`].join('\n');
}
