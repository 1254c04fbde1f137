import { build } from 'esbuild';

/**
 * Bundles the server into dist/main.js: Node 20 cannot run TypeScript. Packages stay outside, so their own
 * files (Next's above all) are found where they are installed. A benchmark bundles its own entry alike, also into
 * dist/, where a bundle finds lua/ one level above.
 */
export async function bundleServer({
  entry = 'server/main.ts',
  outfile = 'dist/main.js',
  plugins = /** @type {import('esbuild').Plugin[]} */ ([]),
} = {}) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    plugins,
  });
}
