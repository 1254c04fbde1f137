import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimSocket } from './exclusive-socket.mjs';
import { hashContent, isStamped, removeStamp, writeStamp } from './files.mjs';
import { runOrThrow } from './processes.mjs';

const stamp = 'dist/.build-stamp';
const LOCK_RETRY_MS = 200;

/** The files and folders that determine the build. */
const inputs = [
  'app',
  'lua',
  'public',
  'server',
  'next.config.mjs',
  'package-lock.json',
  'tsconfig.json',
  'scripts/lib/build-app.mjs',
  'scripts/lib/bundle.mjs',
];

/**
 * Builds for production unless the last build has the same inputs. It does not check types.
 *
 * @param {(text: string) => void} note
 */
export async function buildApp(note) {
  const lock = await claimLock();
  try {
    const hash = await hashInputs();
    if (await isBuildOfHash(hash)) return note('up to date');
    await removeStamp(stamp);
    await runOrThrow('node_modules/.bin/next', ['build'], {
      env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
      problem: 'The build failed:',
      hint: 'Run: npx next build',
    });
    // It imports a package, which may just have been installed.
    const { bundleServer, precompress } = await import('./bundle.mjs');
    await Promise.all([bundleServer(), precompress('.next/static')]);
    await writeStamp(stamp, hash);
  } finally {
    lock.close();
  }
}

/** Waits until no other process builds: two builds at once would overwrite each other's files. */
async function claimLock() {
  for (;;) {
    const claim = await claimSocket('.data/build.sock');
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
