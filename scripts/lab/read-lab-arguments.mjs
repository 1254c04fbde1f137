import { StepError } from '../step-error.mjs';

/**
 * @typedef {object} LabOrder
 * @property {string} query  The scenario, as the address of /lab has it.
 * @property {'text' | 'json' | 'csv'} format
 */

const names = ['edge', 'steady', 'pulse', 'poisson'];

const usage = `npm run lab -- <scenario> [--json | --csv]

  <scenario>  one of ${names.join(', ')}, or what an address of /lab says behind its question mark, such as
              'traffic=edge&limit=100&window=60000'; the whole address will do as well.`;

/**
 * Reads what follows `npm run lab --`.
 *
 * @param {readonly string[]} args
 * @returns {LabOrder}
 */
export function readLabArguments(args) {
  const options = args.filter((arg) => arg.startsWith('--'));
  const [scenario, ...more] = args.filter((arg) => !arg.startsWith('--'));
  const unknown = options.find((option) => option !== '--json' && option !== '--csv');
  if (unknown) throw new StepError(`There is no option ${unknown}.`, { hint: usage });
  if (options.length > 1) throw new StepError('Say --json or --csv, not both.', { hint: usage });
  if (scenario === undefined) throw new StepError('Which scenario?', { hint: usage });
  if (more.length > 0)
    throw new StepError(`One scenario at a time, and "${more[0]}" is another.`, { hint: usage });
  return { query: queryOf(scenario), format: formats[options[0] ?? ''] ?? 'text' };
}

/** @type {Record<string, LabOrder['format']>} */
const formats = { '--json': 'json', '--csv': 'csv' };

/** @param {string} scenario */
function queryOf(scenario) {
  if (names.includes(scenario)) return `traffic=${scenario}`;
  const query = scenario.slice(scenario.indexOf('?') + 1);
  if (!query.includes('=')) throw new StepError(`There is no scenario "${scenario}".`, { hint: usage });
  return query;
}
