import { existsSync, readFileSync } from 'node:fs';

/**
 * One window of a call.
 *
 * @typedef {object} Level
 * @property {number} limit
 * @property {number} windowMs
 * @property {import('../../server/limiter/index').Algorithm} [algorithm]  Only for Floodgate. The others have one algorithm each.
 */

/**
 * Options of a contender. Its keys begin with `prefix`, so that cases do not share keys.
 *
 * @typedef {{ redisUrl: string, prefix: string, levels: readonly Level[] }} Case
 */

/**
 * An open limiter. `decide` returns true for an admitted call, synchronously if the limiter's API is synchronous. `subjects`
 * has one subject for each level.
 *
 * @typedef {{ decide: (subjects: readonly string[]) => boolean | Promise<boolean>, stop: () => Promise<void> }} Gate
 */

/**
 * A measured limiter. Each has a file in this folder.
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} about  Its algorithm and any adaptation.
 * @property {readonly string[]} needs  Packages of bench/package.json.
 * @property {boolean} isOurs
 * @property {(options: Case) => Promise<Gate>} open
 */

/**
 * Imports a package of bench/package.json without types, because type checks also run without these packages.
 *
 * @param {string} specifier
 */
export function loadPeer(specifier) {
  return import(specifier);
}

/** @param {Pick<Contender, 'needs'>} contender */
export function isInstalled({ needs }) {
  return needs.every((name) => existsSync(manifestOf(name)));
}

/** @param {Pick<Contender, 'needs'>} contender  An installed contender. */
export function versionsOf({ needs }) {
  return needs
    .map((name) => `${name} ${JSON.parse(readFileSync(manifestOf(name), 'utf8')).version}`)
    .join(', ');
}

/** @param {string} name */
function manifestOf(name) {
  return new URL(`../node_modules/${name}/package.json`, import.meta.url);
}

/**
 * Checks several levels in sequence, for contenders that support one window in each call.
 *
 * @param {readonly Level[]} levels
 * @param {(level: Level, index: number) => (subject: string) => Promise<boolean>} decideBy
 * @returns {Gate['decide']}
 */
export function checkInSequence(levels, decideBy) {
  const [only, ...more] = levels.map(decideBy);
  if (!only) throw new TypeError('a case has at least one level');
  if (more.length === 0) return (subjects) => only(subjects[0] ?? '');
  return async (subjects) => {
    if (!(await only(subjects[0] ?? ''))) return false;
    for (const [index, decide] of more.entries()) {
      if (!(await decide(subjects[index + 1] ?? ''))) return false;
    }
    return true;
  };
}
