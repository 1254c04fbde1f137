import { createRequire } from 'node:module';
import { hashContent, isStamped, writeStamp } from '../../scripts/lib/content-stamp.mjs';
import { runCommand, tail } from '../../scripts/lib/run-command.mjs';
import { StepError } from '../../scripts/lib/step-error.mjs';

const dir = 'bench/http/next-app';
const stamp = `${dir}/.next/.floodgate-stamp`;

/** Whether the application with the one route handler has been built of these sources. */
export async function isNextAppBuilt() {
  return isStamped(stamp, await hashOfApp());
}

/** Builds it, unless it is built. */
export async function buildNextApp() {
  if (await isNextAppBuilt()) return;
  const { code, output } = await runCommand('node_modules/.bin/next', ['build', dir], {
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (code !== 0) throw new StepError(`The Next application was not built:\n${tail(output)}`);
  await writeStamp(stamp, await hashOfApp());
}

function hashOfApp() {
  const { version } = createRequire(import.meta.url)('next/package.json');
  return hashContent([`${dir}/app`, `${dir}/next.config.mjs`], { extra: [version] });
}
