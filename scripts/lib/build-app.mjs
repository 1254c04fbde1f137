import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashContent, isStamped, removeStamp, writeStamp } from './content-stamp.mjs';
import { claimSocket } from './exclusive-socket.mjs';
import { runOrThrow } from './run-command.mjs';

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
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/lib/build',
  'scripts/lib/type-check.mjs',
];

/**
 * Builds for production unless the last build has the same inputs. The build runs in its own process, because it needs
 * packages that may just have been installed, and because a stop must be able to end it.
 *
 * @param {(text: string) => void} note
 */
export async function buildApp(note) {
  const lock = await claimLock();
  try {
    const hash = await hashInputs();
    if (await isBuildOfHash(hash)) return note('up to date');
    await removeStamp(stamp);
    await runOrThrow(process.execPath, ['scripts/build.mjs', '--force'], {
      problem: 'The build failed:',
      hint: 'Run: npm run build',
    });
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
