import { StepError } from '../step-error.mjs';

/**
 * @typedef {object} LabRequest
 * @property {{ query: string } | { demonstration: Demonstration }} scenario
 *   A run, as the query of /lab, or a demonstration of a mistake.
 * @property {'text' | 'json' | 'csv'} format
 *
 * @typedef {(typeof demonstrations)[number]} Demonstration
 */

const traffics = ['edge', 'steady', 'pulse', 'poisson'];
/** The race, and the cards of the lab. */
export const demonstrations = /** @type {const} */ ([
  'race',
  'four-commands',
  'get-then-incr',
  'timestamp-member',
  'seeded-member',
  'random-member',
  'double-burst',
  'self-extending-block',
  'expiry-on-success',
  'node-clock',
  'count-to-now',
  'window-in-flight',
  'bucket-units',
  'never-drains',
  'lost-state',
  'pulse-starves',
  'chosen-key',
  'anonymous',
  'shared-key',
  'one-plan',
  'unshared-limits',
  'zombie-keys',
  'cross-slot',
  'ban-again',
  'warning-admits',
  'redis-down',
  'failures-charged',
]);

const usage = `npm run lab -- <scenario> [--json | --csv]

  <scenario>  one of ${traffics.join(', ')};
              or the query of a /lab address, such as
              'traffic=edge&limit=100&window=60000' or
              'traffic=preset&preset=two-seconds', or the whole address;
              or a demonstration: ${demonstrations.join(', ')}.`;

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
 * @param {string} named
 * @returns {LabRequest['scenario']}
 */
function scenarioOf(named) {
  const demonstration = demonstrations.find((one) => one === named);
  if (demonstration) return { demonstration };
  if (traffics.includes(named)) return { query: `traffic=${named}` };
  const query = named.slice(named.indexOf('?') + 1);
  if (!query.includes('=')) throw new StepError(`There is no scenario "${named}".`, { hint: usage });
  return { query };
}
