import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildOnce } from './build-app.mjs';
import { hashContent } from './files.mjs';
import { runOrThrow } from './processes.mjs';
import { StepError } from './steps.mjs';

const source = 'server/limiter';
const FAILED = { problem: 'The package was not built:', hint: 'Run: npm run package' };

/**
 * Builds the package of the limiter with tsdown, and packs it. Its manifest gets the version of the product. Returns the path of
 * the tarball.
 */
export async function buildPackage(folder = 'dist/package'): Promise<string> {
  const building = `${path.resolve(folder)}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const manifest = await readManifest();
  await Promise.all([
    runOrThrow(
      'node_modules/.bin/tsdown',
      ['--config', `${source}/tsdown.config.ts`, '--out-dir', path.join(building, 'dist')],
      FAILED,
    ),
    writeFile(path.join(building, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`),
    ...['README.md', 'CHANGELOG.md'].map((file) => cp(path.join(source, file), path.join(building, file))),
    cp('LICENSE', path.join(building, 'LICENSE')),
  ]);
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    ...FAILED,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return tarballIn(folder, manifest);
}

async function readManifest(): Promise<{ name: string; version: string }> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  return { ...JSON.parse(await readFile(`${source}/package.json`, 'utf8')), version };
}

const tarballIn = (folder: string, { name, version }: { name: string; version: string }) =>
  path.join(folder, `${name}-${version}.tgz`);

/** Checks and tests have their own package, because they may run while `npm run package` does. */
const folder = '.data/package';

/**
 * Provides the package for checks and tests. They share one build, which takes 15 s of CPU time. Returns the path of the
 * tarball.
 */
export async function providePackage(): Promise<string> {
  await buildOnce({
    socket: `${folder}.sock`,
    stamp: path.join(folder, '.stamp'),
    hashInputs: () =>
      hashContent([source, 'lua', 'scripts/lib/limiter-package.ts', 'package.json', 'package-lock.json'], {
        skip: (file) => file.endsWith('.test.ts'),
      }),
    build: () => buildPackage(folder),
  });
  return tarballIn(folder, await readManifest());
}

/** The maximum size of createLimiter with memoryStore, compressed by gzip. */
const MAX_BYTES = 40_000;

/**
 * Builds the package and checks it: publint (its files and exports), are-the-types-wrong (its types in each module
 * resolution), the imports of its core and the size of that core with its dependencies. Returns a sentence on that size.
 */
export async function checkPackage(): Promise<string> {
  const tarball = await providePackage();
  const [core] = await Promise.all([
    bundleForWeb(CORE, path.resolve(folder)),
    bundleForWeb(WEB, path.resolve(folder)),
    runCheck('publint', ['--strict', tarball]),
    runCheck('attw', [tarball, '--profile', 'node16', '--format', 'ascii']),
  ]);
  const bytes = gzipSync(core).byteLength;
  if (bytes > MAX_BYTES) {
    const hint = 'Print the metafile of scripts/lib/limiter-package.ts to see the size of each part.';
    throw new StepError(`The core of the package has ${bytes} bytes, at most ${MAX_BYTES} are allowed`, {
      hint,
    });
  }
  return `its core is ${(bytes / 1000).toFixed(1)} kB`;
}

function runCheck(program: string, args: string[]): Promise<string> {
  const hint = `See it with: npx ${program} ${args.join(' ')}`;
  return runOrThrow(`node_modules/.bin/${program}`, args, { hint });
}

/** The part of the package that decides in memory. */
export const CORE = `
export { createLimiter, definePolicy, pseudonymOf } from './dist/index.mjs';
export { memoryStore } from './dist/stores.mjs';
`;

/** The entry points that run without Node. */
const WEB = `
export * from './dist/index.mjs';
export * from './dist/fetch.mjs';
export * from './dist/rest.mjs';
`;

/**
 * Bundles a module of the package in a folder as a browser would load it: one script that sets the global `floodgate`.
 * Throws if it imports a module of Node.
 */
export async function bundleForWeb(contents: string, folder: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
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
    throw new StepError(`The part of the package without Node imports ${imports.join(', ')}`, { hint });
  }
  return outputFiles[0]?.text ?? '';
}
