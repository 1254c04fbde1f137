import { StepError } from '../step-error.mjs';

/**
 * @typedef {object} LabRequest
 * @property {{ query: string } | { demonstration: string }} scenario
 *   A run, as the query of /lab, or a demonstration: `race`, or a card of the lab; see `checkDemonstration`.
 * @property {'text' | 'json' | 'csv'} format
 */

const traffics = ['edge', 'steady', 'pulse', 'poisson'];
const usage = `npm run lab -- <scenario> [--json | --csv]

  <scenario>  one of ${traffics.join(', ')};
              or the query of a /lab address, such as
              'traffic=edge&limit=100&window=60000' or
              'traffic=preset&preset=two-seconds', or the whole address;
              or a demonstration: race, or a card of the lab, such as four-commands.`;

/** @type {Record<string, LabRequest['format']>} */
const formats = { '--json': 'json', '--csv': 'csv' };

/**
 * Parses the arguments after `npm run lab --`.
 *
 * @param {readonly string[]} args
 * @returns {LabRequest}
 */
export function readLabArguments(args) {
  const options = args.filter((arg) => arg.startsWith('--'));
  const [named, ...more] = args.filter((arg) => !arg.startsWith('--'));
  const unknown = options.find((option) => !Object.hasOwn(formats, option));
  if (unknown) throw new StepError(`There is no option ${unknown}.`, { hint: usage });
  if (options.length > 1) throw new StepError('Use --json or --csv, not both.', { hint: usage });
  if (named === undefined) throw new StepError('A scenario is missing.', { hint: usage });
  if (more.length > 0) {
    throw new StepError(`Only one scenario is possible, but "${more[0]}" is a second one.`, { hint: usage });
  }
  const scenario = scenarioOf(named);
  const format = formats[options[0] ?? ''] ?? 'text';
  if (format === 'csv' && 'demonstration' in scenario) {
    throw new StepError(`There is no CSV of "${named}". Use --json.`, { hint: usage });
  }
  return { scenario, format };
}

/**
 * Throws for a demonstration that does not exist.
 *
 * @param {LabRequest} request
 * @param {readonly string[]} demonstrations
 */
export function checkDemonstration({ scenario }, demonstrations) {
  if ('query' in scenario || demonstrations.includes(scenario.demonstration)) return;
  throw new StepError(`There is no scenario "${scenario.demonstration}".`, {
    hint: `${usage}\n\nDemonstrations: ${demonstrations.join(', ')}.`,
  });
}

/**
 * @param {string} named
 * @returns {LabRequest['scenario']}
 */
function scenarioOf(named) {
  if (traffics.includes(named)) return { query: `traffic=${named}` };
  const query = named.slice(named.indexOf('?') + 1);
  return query.includes('=') ? { query } : { demonstration: named };
}
