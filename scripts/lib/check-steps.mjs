import { spawnSync } from 'node:child_process';
import { runOrThrow } from './run-command.mjs';
import { typeCheckArgs } from './type-check.mjs';

/** The messages of this commit and its ancestors are not checked: the rules are younger. */
const COMMIT_RULES_SINCE = '18e7dd62a5d96b533dc433a1391978ffa9b679ce';

/** The folders with source code. */
const sourceFolders = ['server', 'app', 'scripts', 'drills', 'bench', 'test', 'e2e'];

/**
 * The static checks of the sources: name, command, and the command that fixes a problem or shows more.
 *
 * @type {{ name: string, command: string[], fix: string }[]}
 */
const checks = [
  { name: 'format', command: ['biome', 'format'], fix: 'npx biome format --write' },
  {
    name: 'lint',
    command: ['biome', 'check', '--formatter-enabled=false', '--error-on-warnings'],
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
    name: 'lock file',
    command: ['node', 'scripts/lockfile-binaries.mjs', '--check'],
    fix: 'node scripts/lockfile-binaries.mjs',
  },
];

const commitCheck = {
  name: 'commits',
  command: ['commitlint', '--from', COMMIT_RULES_SINCE],
  fix: `npx commitlint --from ${COMMIT_RULES_SINCE}`,
};

/**
 * Runs all checks at the same time, to their end.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./tally.mjs').Tally} tally
 */
export async function runChecks(steps, tally) {
  await Promise.all([
    tally.step(steps, 'package', async (note) => {
      // It imports packages, which are not installed when this file loads.
      const { checkPackage } = await import('./package/check-package.mjs');
      await checkPackage(note);
    }),
    ...(hasHistory() ? [...checks, commitCheck] : checks).map(({ name, command, fix }) =>
      tally.step(steps, name, async () => {
        const [program = '', ...args] = command;
        const path = program === 'node' ? process.execPath : `node_modules/.bin/${program}`;
        await runOrThrow(path, args, { hint: `See or fix it with: ${fix}` });
      }),
    ),
  ]);
}

/** Returns false where the history is not there, as in a shallow clone. */
function hasHistory() {
  const { status } = spawnSync('git', ['merge-base', '--is-ancestor', COMMIT_RULES_SINCE, 'HEAD']);
  return status === 0;
}
