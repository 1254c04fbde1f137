import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { runOrThrow } from '../run-command.mjs';
import { inlineLua } from './inline-lua.mjs';
import { packageManifest } from './package-manifest.mjs';
import { copyTypes } from './package-types.mjs';

const source = 'server/limiter-package';
/** The folder of the package; the tarball is inside. */
export const packageFolder = 'dist/package';
const FAILED = { problem: 'The package was not built:', hint: 'Run: npm run package' };

/**
 * Builds the package of the limiter from server/limiter, lua/limiter and the entry points in server/limiter-package.
 * Returns the path of the tarball.
 *
 * @param {string} [folder]
 * @returns {Promise<string>}
 */
export async function buildPackage(folder = packageFolder) {
  const building = `${folder}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const manifest = packageManifest(JSON.parse(await readFile('package.json', 'utf8')));
  await Promise.all([
    writeFile(path.join(building, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`),
    bundleEntryPoints(manifest, building),
    emitTypes(building),
    ...['README.md', 'CHANGELOG.md'].map((file) => cp(path.join(source, file), path.join(building, file))),
    cp('LICENSE', path.join(building, 'LICENSE')),
  ]);
  await copyTypes(path.join(building, '.types'), manifest, building);
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    ...FAILED,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return path.join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

/**
 * Bundles the entry points with shared chunks, so that they share one limiter. Packages stay imports.
 *
 * @param {ReturnType<typeof packageManifest>} manifest
 * @param {string} folder
 */
async function bundleEntryPoints({ exports }, folder) {
  await build({
    entryPoints: Object.values(exports).map((entry) => {
      const name = path.basename(entry.default, '.js');
      return { in: path.join(source, `${name}.ts`), out: name };
    }),
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    plugins: [inlineLua()],
  });
}

/** @param {string} folder */
async function emitTypes(folder) {
  const project = ['--project', `${source}/tsconfig.json`, '--outDir', path.join(folder, '.types')];
  await runOrThrow(process.execPath, ['node_modules/typescript-7/bin/tsc', ...project], FAILED);
}
