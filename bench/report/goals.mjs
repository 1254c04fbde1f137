import { digits, withSpread } from './numbers.mjs';
import { table } from './table.mjs';

/**
 * A goal that was set before the measurement.
 *
 * @typedef {object} Goal
 * @property {string} what
 * @property {{ min: number } | { max: number }} bound
 * @property {import('./spread.mjs').Spread} reached
 */

/** @param {Goal} goal */
export function isReached({ bound, reached }) {
  return 'min' in bound ? reached.median >= bound.min : reached.median <= bound.max;
}

/** @param {readonly Goal[]} goals */
export function describeGoals(goals) {
  return table(
    ['what', 'goal', 'reached', ''],
    goals.map((goal) => [
      goal.what,
      'min' in goal.bound ? `≥ ${digits(goal.bound.min)}` : `≤ ${digits(goal.bound.max)}`,
      withSpread(goal.reached),
      isReached(goal) ? 'yes' : '**no**',
    ]),
    { text: [3] },
  );
}
