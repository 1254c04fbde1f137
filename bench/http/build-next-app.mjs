import { createRequire } from 'node:module';
import { hashContent, isStamped, writeStamp } from '../../scripts/lib/files.mjs';
import { runOrThrow } from '../../scripts/lib/processes.mjs';

const dir = 'bench/http/next-app';
const stamp = `${dir}/.next/.floodgate-stamp`;

/** Returns true if the Next application has been built from these sources. */
export async function isNextAppBuilt() {
  return isStamped(stamp, await hashApp());
}

/** Builds the application with the single route handler, if it is not built. */
export async function buildNextApp() {
  if (await isNextAppBuilt()) return;
  await runOrThrow('node_modules/.bin/next', ['build', dir], {
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    problem: 'The Next application was not built:',
  });
  await writeStamp(stamp, await hashApp());
}

function hashApp() {
  const { version } = createRequire(import.meta.url)('next/package.json');
  return hashContent([`${dir}/app`, `${dir}/next.config.mjs`], { extra: [version] });
}
