import { createRequire } from 'node:module';
import { hashContent, isStamped, writeStamp } from '../../scripts/lib/files.mjs';
import { runOrThrow } from '../../scripts/lib/processes.mjs';

/** A Next application with an empty page and a route handler for tRPC. */
export const NEXT_APP = 'bench/next-app';
const stamp = `${NEXT_APP}/.next/.floodgate-stamp`;

/** Returns true if the Next application has been built from these sources. */
export async function isNextAppBuilt(): Promise<boolean> {
  return isStamped(stamp, await hashApp());
}

/** Builds the Next application, if it is not built. */
export async function buildNextApp(): Promise<void> {
  if (await isNextAppBuilt()) return;
  await runOrThrow('node_modules/.bin/next', ['build', NEXT_APP], {
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    problem: 'The Next application was not built:',
  });
  await writeStamp(stamp, await hashApp());
}

function hashApp(): Promise<string> {
  const { version } = createRequire(import.meta.url)('next/package.json');
  return hashContent([`${NEXT_APP}/app`, `${NEXT_APP}/next.config.mjs`], { extra: [version] });
}
