import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { runOrThrow } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { buildPackage } from './build-package.mjs';
import { inlineLua } from './inline-lua.mjs';

/** A check has its own folder, because it may run while `npm run package` does. */
const folder = '.data/package-check';
const MAX_BYTES = 24_000;

/**
 * Builds the package and checks it: publint (its files and exports), are-the-types-wrong (its types in each module
 * resolution) and the size of the entry point `.`.
 *
 * @param {(text: string) => void} note
 */
export async function checkPackage(note) {
  const tarball = await buildPackage(folder);
  const [bytes] = await Promise.all([
    measureEntryPoint(),
    runCheck('publint', ['--strict', tarball]),
    // Node 20.19 and newer can require ESM, so there is no CommonJS build.
    runCheck('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']),
  ]);
  note(`. is ${(bytes / 1000).toFixed(1)} kB`);
  if (bytes > MAX_BYTES) {
    const hint =
      'See its parts: npx esbuild server/limiter/index.ts --bundle --minify --analyze --packages=external --platform=node';
    throw new StepError(`The entry point . has ${bytes} bytes, at most ${MAX_BYTES} are allowed`, { hint });
  }
}

/** Returns the bytes of the entry point `.` without its dependencies and the Lua texts, minified and compressed by Brotli. */
async function measureEntryPoint() {
  const { outputFiles } = await build({
    entryPoints: ['server/limiter/index.ts'],
    bundle: true,
    minify: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [inlineLua(async () => ({}))],
  });
  return brotliCompressSync(outputFiles[0]?.contents ?? '').byteLength;
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function runCheck(program, args) {
  const hint = `See it with: npx ${program} ${args.join(' ')}`;
  return runOrThrow(`node_modules/.bin/${program}`, args, { hint });
}
