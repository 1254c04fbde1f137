import { existsSync, readFileSync } from 'node:fs';

/**
 * One window of a call.
 *
 * @typedef {object} Level
 * @property {number} limit
 * @property {number} windowMs
 * @property {import('../../server/limiter').Algorithm} [algorithm]  Of Floodgate only: the others have one each.
 */

/**
 * What a contender is opened with. Its keys begin with `prefix`, so that nothing of another case is found.
 *
 * @typedef {{ redisUrl: string, prefix: string, levels: readonly Level[] }} Case
 */

/**
 * A limiter that is ready: `decide` tells whether the call is admitted, at once where its users are told at once;
 * `subjects` name whom each level counts.
 *
 * @typedef {{ decide: (subjects: readonly string[]) => boolean | Promise<boolean>, stop: () => Promise<void> }} Gate
 */

/**
 * Something that decides. One file each, in this folder.
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} about  How it counts, and whatever had to be adapted.
 * @property {readonly string[]} needs  Packages of bench/package.json.
 * @property {boolean} isOurs
 * @property {boolean} keepsHits  A log: its window remembers each hit.
 * @property {(options: Case) => Promise<Gate>} open
 */

/**
 * A package of bench/package.json. Sources are checked where those are not installed, so nothing is known of its type.
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

/** @param {Pick<Contender, 'needs'>} contender  One that is installed. */
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
 * A contender that knows one window to a call: of several it is asked one after the other, as its users have to.
 *
 * @param {readonly Level[]} levels
 * @param {(level: Level, place: number) => (subject: string) => Promise<boolean>} decideBy
 * @returns {Gate['decide']}
 */
export function inTurn(levels, decideBy) {
  const [only, ...more] = levels.map(decideBy);
  if (!only) throw new TypeError('a case has at least one level');
  if (more.length === 0) return (subjects) => only(subjects[0] ?? '');
  return async (subjects) => {
    if (!(await only(subjects[0] ?? ''))) return false;
    for (const [place, decide] of more.entries()) {
      if (!(await decide(subjects[place + 1] ?? ''))) return false;
    }
    return true;
  };
}
