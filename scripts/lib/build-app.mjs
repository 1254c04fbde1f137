import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { claimSocket } from './exclusive-socket.mjs';
import { hashContent, isStamped, removeStamp, writeStamp } from './files.mjs';
import { runOrThrow } from './processes.mjs';

const stamp = 'dist/.build-stamp';
const LOCK_RETRY_MS = 200;

/** The files and folders that determine the build. */
const inputs = [
  'app',
  'lua',
  'server',
  'next.config.mjs',
  'package-lock.json',
  'tsconfig.json',
  'scripts/lib/build-app.mjs',
];

/**
 * Builds for production unless the last build has the same inputs. It does not check types.
 *
 * @param {(text: string) => void} note
 */
export async function buildApp(note) {
  const isNew = await buildOnce({
    socket: '.data/build.sock',
    stamp,
    hashInputs,
    isBuilt: isBuildOfHash,
    async build() {
      await runOrThrow('node_modules/.bin/next', ['build'], {
        env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
        problem: 'The build failed:',
        hint: 'Run: npx next build',
      });
      await Promise.all([
        bundleServer(),
        bundleServer({ entry: 'server/lab/examine/examine-process.ts', outfile: 'dist/examine-process.js' }),
        precompress('.next/static'),
      ]);
    },
  });
  if (!isNew) note('up to date');
}

/**
 * Runs `build` unless the stamp of the last build has this hash. It waits while another process builds: two builds at once
 * would overwrite each other's files.
 *
 * @param {object} once
 * @param {string} once.socket  Marks that a process builds.
 * @param {string} once.stamp  Holds the hash of the last build that succeeded.
 * @param {() => Promise<string>} once.hashInputs
 * @param {(hash: string) => Promise<boolean>} [once.isBuilt]  Default: checks the stamp.
 * @param {() => Promise<unknown>} once.build
 * @returns {Promise<boolean>} True if it built.
 */
export async function buildOnce({
  socket,
  stamp,
  hashInputs,
  isBuilt = (hash) => isStamped(stamp, hash),
  build,
}) {
  const lock = await claimLock(socket);
  try {
    const hash = await hashInputs();
    if (await isBuilt(hash)) return false;
    await removeStamp(stamp);
    await build();
    await writeStamp(stamp, hash);
    return true;
  } finally {
    lock.close();
  }
}

/** @param {string} socket */
async function claimLock(socket) {
  for (;;) {
    const claim = await claimSocket(socket);
    if (claim) return claim.server;
    await sleep(LOCK_RETRY_MS);
  }
}

/** Returns true if the last build has the current inputs. */
export async function isBuilt() {
  return isBuildOfHash(await hashInputs());
}

function hashInputs() {
  return hashContent(inputs, { extra: [process.version], skip: isTest });
}

/** @param {string} hash */
async function isBuildOfHash(hash) {
  const hasOutput = existsSync('dist/main.js') && existsSync('.next/BUILD_ID');
  return hasOutput && (await isStamped(stamp, hash));
}

/** @param {string} file */
function isTest(file) {
  return /\.test\.tsx?$/.test(file);
}

/**
 * Returns the arguments with which Node checks the types of a project.
 *
 * @param {string} [project]  Default: the server and the pages without tests.
 * @returns {string[]}
 */
export function typeCheckArgs(project = 'tsconfig.build.json') {
  return ['node_modules/typescript-7/bin/tsc', '--noEmit', '--project', project];
}

/**
 * Bundles the server into dist/main.js, because Node 20 cannot run TypeScript. Packages stay external, so that they find
 * their own files. Benchmarks bundle their own entry, also into dist/, because a bundle finds lua/ one level above.
 */
export async function bundleServer({ entry = 'server/main.ts', outfile = 'dist/main.js' } = {}) {
  // This module is loaded before the packages are installed.
  const { build } = await import('esbuild');
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
  });
}

/** A smaller response fits one packet without compression. */
const MIN_BYTES = 1_024;

/**
 * Writes a .br and a .gz next to each text file below the folder, at the best level, so that no request compresses it. A
 * file that compression does not shrink is skipped.
 *
 * @param {string} folder
 */
async function precompress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(css|html|ico|js|json|mjs|svg|txt|xml)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all(files.map(compressFile));
}

/** @param {string} file */
async function compressFile(file) {
  const content = await readFile(file);
  if (content.length < MIN_BYTES) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  if (br.length < content.length) await writeFile(`${file}.br`, br);
  if (gz.length < content.length) await writeFile(`${file}.gz`, gz);
}
