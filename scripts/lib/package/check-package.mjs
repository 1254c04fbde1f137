import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { runOrThrow } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { buildPackage } from './build-package.mjs';
import { bundleCore } from './bundle-core.mjs';

/** A check has its own folder, because it may run while `npm run package` does. */
const folder = '.data/package-check';
/** The maximum size of createLimiter with memoryStore, compressed by gzip. */
const MAX_BYTES = 40_000;

/**
 * Builds the package and checks it: publint (its files and exports), are-the-types-wrong (its types in each module
 * resolution), the imports of its core and the size of that core with its dependencies.
 *
 * @param {(text: string) => void} note
 */
export async function checkPackage(note) {
  const tarball = await buildPackage(folder);
  const [core] = await Promise.all([
    bundleCore(path.resolve(folder)),
    runCheck('publint', ['--strict', tarball]),
    runCheck('attw', [tarball, '--profile', 'node16', '--format', 'ascii']),
  ]);
  const bytes = gzipSync(core).byteLength;
  note(`its core is ${(bytes / 1000).toFixed(1)} kB`);
  if (bytes > MAX_BYTES) {
    const hint = 'Print the metafile of scripts/lib/package/bundle-core.mjs to see the size of each part.';
    throw new StepError(`The core of the package has ${bytes} bytes, at most ${MAX_BYTES} are allowed`, {
      hint,
    });
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function runCheck(program, args) {
  const hint = `See it with: npx ${program} ${args.join(' ')}`;
  return runOrThrow(`node_modules/.bin/${program}`, args, { hint });
}
