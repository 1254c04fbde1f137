import { spawnSync } from 'node:child_process';
import { typeCheckArgs } from './build-app.mjs';

/** The messages of this commit and its ancestors are not checked: the rules are younger. */
const COMMIT_RULES_SINCE = '18e7dd62a5d96b533dc433a1391978ffa9b679ce';

/** The folders with source code. */
const sourceFolders = ['server', 'app', 'scripts', 'drills', 'bench', 'test', 'e2e'];

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string[]} command
 * @property {string} fix  The command that fixes a problem or shows more.
 * @property {boolean} [hasNote]  True if the output of a check that passes belongs on its line.
 */

/** @type {Check[]} */
const checks = [
  {
    name: 'format, lint',
    command: ['biome', 'check', '--error-on-warnings'],
    fix: 'npx biome check --write',
  },
  {
    name: 'types',
    command: ['node', ...typeCheckArgs('tsconfig.json')],
    fix: `node ${typeCheckArgs('tsconfig.json').join(' ')}`,
  },
  {
    name: 'import rules',
    command: ['depcruise', ...sourceFolders, '--config', '.dependency-cruiser.cjs'],
    fix: `npx depcruise ${sourceFolders.join(' ')}`,
  },
  { name: 'dead code', command: ['knip'], fix: 'npx knip' },
  {
    name: 'package',
    command: ['node', '--import', 'tsx', 'scripts/package.ts', '--check'],
    fix: 'node --import tsx scripts/package.ts --check',
    hasNote: true,
  },
];

/** @type {Check} */
const commitCheck = {
  name: 'commits',
  command: ['commitlint', '--from', COMMIT_RULES_SINCE],
  fix: `npx commitlint --from ${COMMIT_RULES_SINCE}`,
};

/** Lists the checks. Commits are not checked where the history is not there, as in a shallow clone. */
export function listChecks() {
  const { status } = spawnSync('git', ['merge-base', '--is-ancestor', COMMIT_RULES_SINCE, 'HEAD']);
  return (status === 0 ? [...checks, commitCheck] : checks).map(
    ({ command: [program = '', ...args], ...rest }) => ({
      ...rest,
      command: [program === 'node' ? process.execPath : `node_modules/.bin/${program}`, ...args],
    }),
  );
}
