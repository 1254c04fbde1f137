import { createRequire } from 'node:module';
import { hashContent, isStamped, writeStamp } from '../../scripts/lib/content-stamp.mjs';
import { runCommand, tail } from '../../scripts/lib/run-command.mjs';
import { StepError } from '../../scripts/lib/step-error.mjs';

const dir = 'bench/http/next-app';
const stamp = `${dir}/.next/.floodgate-stamp`;

/** Returns true if the Next application has been built from these sources. */
export async function isNextAppBuilt() {
  return isStamped(stamp, await hashApp());
}

/** Builds the application with the single route handler, if it is not built. */
export async function buildNextApp() {
  if (await isNextAppBuilt()) return;
  const { code, output } = await runCommand('node_modules/.bin/next', ['build', dir], {
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (code !== 0) throw new StepError(`Building the Next application failed:\n${tail(output)}`);
  await writeStamp(stamp, await hashApp());
}

function hashApp() {
  const { version } = createRequire(import.meta.url)('next/package.json');
  return hashContent([`${dir}/app`, `${dir}/next.config.mjs`], { extra: [version] });
}
