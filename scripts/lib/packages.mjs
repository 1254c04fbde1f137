import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hashContent, isStamped, removeStamp, writeStamp } from './files.mjs';
import { runCommand, tail } from './processes.mjs';
import { StepError } from './steps.mjs';

/** Inside node_modules, so that deleting that folder also deletes the stamp. */
export const installStamp = 'node_modules/.floodgate-install';

/**
 * The content of the stamp while npm runs. A killed npm leaves half-written files that the next npm treats as installed,
 * and Node then crashes with a bus error. Such a node_modules is deleted and installed again.
 */
const UNFINISHED = 'unfinished';

/**
 * Installs the packages unless node_modules was installed from the current package.json and lock file.
 *
 * It runs `npm install`, not `npm ci`: the entries for other platforms in the lock file have no integrity, and `ci` would
 * delete the whole node_modules for one changed line. `--no-save` keeps the working tree clean.
 *
 * @param {(text: string) => void} note
 * @param {{ needsTools?: boolean }} [options]  `needsTools: false` leaves out the tools of developers, a third of the
 *   files, unless they are installed already. Default: true, for any NODE_ENV.
 */
export async function installPackages(note, { needsTools = true } = {}) {
  const withTools = needsTools || existsSync('node_modules/vitest');
  const hash = `${await hashPackages()}${withTools ? '' : ' without tools'}`;
  if (await isStamped(installStamp, hash)) return note('up to date');
  if (await isStamped(installStamp, UNFINISHED)) await rm('node_modules', { recursive: true });
  await writeStamp(installStamp, UNFINISHED);
  const { code, output } = await runCommand('npm', [
    'install',
    // Packages name some of the tools as optional peers, and npm would install those: Playwright, Fastify and others.
    ...(withTools ? ['--include=dev'] : ['--omit=dev', '--legacy-peer-deps']),
    '--include=optional',
    '--no-save',
    '--no-audit',
    '--no-fund',
  ]);
  if (code !== 0) {
    // An npm that was not killed has restored the former node_modules.
    if (code < 128) await removeStamp(installStamp);
    throw new StepError(`npm install failed (exit ${code}):\n${tail(output, 15)}`, { hint: installHint });
  }
  await writeStamp(installStamp, hash);
}

/** Returns the stamp of a whole installation of the current package.json and lock file. */
export function hashPackages() {
  return hashContent(['package.json', 'package-lock.json'], {
    extra: [process.platform, process.arch, process.versions.modules],
  });
}

const installHint = `Run \`npm install\` to see the whole output. If the registry cannot be reached, check
  npm config get registry          the registry or mirror in use
  npm config get proxy             and https-proxy, noproxy
  npm config get cafile            if a proxy uses its own certificate
  HTTP_PROXY HTTPS_PROXY NO_PROXY  in the environment, which npm also reads`;

/** Throws a clear error on an older Node, which would fail with a syntax error in a package. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(`Floodgate needs Node 20.19 or newer; this is ${process.version}.`, {
    hint: 'Install a newer one: https://nodejs.org',
  });
}
