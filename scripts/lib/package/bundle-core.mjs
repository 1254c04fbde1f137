import { build } from 'esbuild';
import { StepError } from '../step-error.mjs';

/** The part of the package that runs without Node. */
const CORE = `
export { createLimiter, definePolicy, pseudonymOf } from './dist/index.mjs';
export { memoryStore } from './dist/stores.mjs';
`;

/**
 * Bundles the core of a built package as a browser would load it: one script that sets the global `floodgate`.
 *
 * @param {string} folder  The folder of the package.
 * @returns {Promise<string>}
 * @throws {StepError} If it imports a module of Node.
 */
export async function bundleCore(folder) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: CORE, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    // esbuild resolves the imports of the stores on Redis before it leaves them out.
    external: ['node:*'],
    format: 'iife',
    globalName: 'floodgate',
    target: 'es2022',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  if (imports.length > 0) {
    const hint = 'Use what every runtime has, as server/limiter/crypto.ts does.';
    throw new StepError(`createLimiter or memoryStore imports ${imports.join(', ')}`, { hint });
  }
  return outputFiles[0]?.text ?? '';
}
