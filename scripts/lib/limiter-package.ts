import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildOnce } from './build-app.mjs';
import { type ApiPackage, describeApi } from './describe-api';
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
  await writeFile(path.join(building, 'llms.txt'), describeApi(building, manifest));
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    ...FAILED,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return tarballIn(folder, manifest);
}

async function readManifest(): Promise<ApiPackage> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  return { ...JSON.parse(await readFile(`${source}/package.json`, 'utf8')), version };
}

const tarballIn = (folder: string, { name, version }: { name: string; version: string }) =>
  path.join(folder, `${name}-${version}.tgz`);

const builtBy = ['scripts/lib/limiter-package.ts', 'scripts/lib/describe-api.ts'];

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
      hashContent([source, 'lua', ...builtBy, 'package.json', 'package-lock.json'], {
        skip: (file) => file.endsWith('.test.ts'),
      }),
    build: () => buildPackage(folder),
  });
  return tarballIn(folder, await readManifest());
}

/** The maximum size of createLimiter with memoryStore, compressed by gzip. */
const MAX_BYTES = 50_000;

/**
 * Builds the package and checks it: publint (its files and exports), are-the-types-wrong (its types in each module
 * resolution), npm (whether it would publish the tarball), the paths that it names, the imports of its core and the size of
 * that core with its dependencies. Returns a sentence on that size.
 */
export async function checkPackage(): Promise<string> {
  const tarball = await providePackage();
  const [core] = await Promise.all([
    bundleForWeb(CORE, path.resolve(folder)),
    bundleForWeb(WEB, path.resolve(folder)),
    checkPaths(path.resolve(folder)),
    checkPublish(tarball),
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

/** Checks the tarball as `npm publish` does. No registry is called: nothing listens on that port. */
async function checkPublish(tarball: string): Promise<void> {
  const args = ['publish', tarball, '--dry-run', '--tag', 'next', '--ignore-scripts'];
  const offline = ['--registry', 'http://127.0.0.1:1', '--fetch-retries', '0'];
  const hint = `See it with: npm ${args.join(' ')}`;
  const output = await runOrThrow('npm', [...args, ...offline], { hint });
  if (output.includes('auto-corrected'))
    throw new StepError(`npm changes the manifest:\n${output}`, { hint });
}

/** A path of the repository that is not part of a URL. */
const REPOSITORY_PATH = /(?<![\w/.@-])(?:docs|lua|server|examples|scripts|test|bench|drills)\/[\w./-]*\w/g;
/** The target of a relative link. */
const RELATIVE_LINK = /\]\((?![a-z]+:|#)[^)]+\)/g;

/** Throws if a type or a text of the package names a file that is not in it. */
async function checkPaths(root: string): Promise<void> {
  const files = await readdir(root, { recursive: true });
  for (const file of files.filter((name) => /\.(md|txt|d\.[mc]ts)$/.test(name))) {
    const text = await readFile(path.join(root, file), 'utf8');
    const [found] = text.match(file.endsWith('.md') ? RELATIVE_LINK : REPOSITORY_PATH) ?? [];
    if (found === undefined) continue;
    const hint = 'Link to its URL in the repository, or leave it out of the docstring of what is exported.';
    throw new StepError(`${file} of the package names ${found}, which is not in the package`, { hint });
  }
}

function runCheck(program: string, args: string[]): Promise<string> {
  const hint = `See it with: npx ${program} ${args.join(' ')}`;
  return runOrThrow(`node_modules/.bin/${program}`, args, { hint });
}

/** The part of the package that decides in memory. */
export const CORE = `
export { createLimiter, definePolicy, pseudonymOf } from './dist/index.mjs';
export { memoryStore } from './dist/memory-store.mjs';
`;

/** The entry points that run without Node. */
const WEB = `
export * from './dist/index.mjs';
export * from './dist/fetch.mjs';
export * from './dist/memory-store.mjs';
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
