/**
 * @typedef {object} Steps
 * @property {<T>(name: string, work: (note: (text: string) => void) => Promise<T> | T) => Promise<T>} run
 *   Runs one step and prints its line when it ends. A failed step prints a cross and rethrows.
 *   `note` sets the text after the time, such as "up to date".
 * @property {(name: string, ms: number, text?: string) => void} done
 *   Prints the line of a step that was measured elsewhere.
 */

/**
 * Prints one line with a time for each step of `npm start` and `npm test`.
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
        const result = await work((newText) => {
          text = newText;
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
 * @param {string} symbol
 * @param {string} name
 * @param {number} ms
 * @param {string} text
 */
function formatStep(symbol, name, ms, text) {
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(7);
  return `${symbol} ${name.padEnd(16)} ${seconds}${text ? `  ${text}` : ''}`;
}
