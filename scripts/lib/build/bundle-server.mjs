import { build } from 'esbuild';

/**
 * Bundles the server into dist/main.js, because Node 20 cannot run TypeScript. Packages stay external, so that they find
 * their own files. Benchmarks bundle their own entry, also into dist/, because a bundle finds lua/ one level above.
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
