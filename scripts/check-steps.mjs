import { runCommand, tail } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/**
 * Everything about the sources that can be told without running them: name, command, and the command that puts
 * it right or shows more.
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
  { name: 'types', command: ['node', 'node_modules/typescript-7/bin/tsc', '--noEmit'], fix: 'npx tsc --noEmit' },
  {
    name: 'import rules',
    command: ['depcruise', 'server', 'app', '--config', '.dependency-cruiser.cjs'],
    fix: 'npx depcruise server app',
  },
  { name: 'dead code', command: ['knip'], fix: 'npx knip' },
  {
    name: 'lock file',
    command: ['node', 'scripts/lockfile-binaries.mjs', '--check'],
    fix: 'node scripts/lockfile-binaries.mjs',
  },
];

/**
 * Runs all checks, also after one has failed.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./tally.mjs').Tally} tally
 */
export async function runChecks(steps, tally) {
  for (const { name, command, fix } of checks) {
    await tally.step(steps, name, async () => {
      const [program = '', ...args] = command;
      const path = program === 'node' ? process.execPath : `node_modules/.bin/${program}`;
      const { code, output } = await runCommand(path, args);
      if (code !== 0) throw new StepError(tail(output, 60), { hint: `See or fix it with: ${fix}` });
    });
  }
}
