import { digits, withSpread } from './numbers.mjs';
import { table } from './table.mjs';

/**
 * A number that was promised before it was measured.
 *
 * @typedef {object} Goal
 * @property {string} what
 * @property {{ least: number } | { most: number }} bound
 * @property {import('./spread.mjs').Spread} reached
 */

/** @param {Goal} goal */
export function isReached({ bound, reached }) {
  return 'least' in bound ? reached.median >= bound.least : reached.median <= bound.most;
}

/** @param {readonly Goal[]} goals */
export function describeGoals(goals) {
  return table(
    ['what', 'goal', 'reached', ''],
    goals.map((goal) => [
      goal.what,
      'least' in goal.bound ? `≥ ${digits(goal.bound.least)}` : `≤ ${digits(goal.bound.most)}`,
      withSpread(goal.reached),
      isReached(goal) ? 'yes' : '**no**',
    ]),
    { text: [3] },
  );
}
