/**
 * @typedef {object} Steps
 * @property {<T>(name: string, work: (note: (text: string) => void) => Promise<T> | T) => Promise<T>} run
 *   Runs one step and prints its line when it ends; a failing step prints a cross and rethrows.
 *   `note` sets the words after the name, such as "up to date".
 * @property {(name: string, ms: number, text?: string) => void} done
 *   Prints the line of a step that was measured elsewhere.
 */

/**
 * One line per step with its time: what `npm start` and `npm test` show while they work.
 *
 * @param {(line: string) => void} [print]
 * @returns {Steps}
 */
export function createSteps(print = (line) => console.log(line)) {
  /** @type {Steps['done']} */
  const done = (name, ms, text = '') => print(formatStep('✓', name, ms, text));
  return {
    done,
    async run(name, work) {
      const startedAt = performance.now();
      let text = '';
      try {
        const result = await work((words) => {
          text = words;
        });
        done(name, performance.now() - startedAt, text);
        return result;
      } catch (error) {
        print(formatStep('✗', name, performance.now() - startedAt, text));
        throw error;
      }
    },
  };
}

/**
 * @param {string} mark
 * @param {string} name
 * @param {number} ms
 * @param {string} text
 */
function formatStep(mark, name, ms, text) {
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(7);
  return `${mark} ${name.padEnd(16)} ${seconds}${text ? `  ${text}` : ''}`;
}
