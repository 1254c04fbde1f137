import { build } from 'esbuild';

/**
 * Bundles the server into dist/main.js: Node 20 cannot run TypeScript. Packages stay outside, so their own
 * files (Next's above all) are found where they are installed.
 */
export async function bundleServer() {
  await build({
    entryPoints: ['server/main.ts'],
    outfile: 'dist/main.js',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
}
