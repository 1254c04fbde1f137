import { rm } from 'node:fs/promises';
import { hashContent, isStamped, removeStamp, writeStamp } from './content-stamp.mjs';
import { runCommand, tail } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/** Inside node_modules, so that deleting that folder forgets the stamp with it. */
const stamp = 'node_modules/.floodgate-install';

/**
 * Stands in the stamp while npm works. An npm that was killed leaves half-written files in packages that the next
 * npm takes for installed, and Node then dies of a bus error: such a node_modules is made anew.
 */
const UNFINISHED = 'unfinished';

/**
 * Installs the packages unless node_modules was installed from exactly this package.json and lock file.
 *
 * `npm install`, not `npm ci`: the lock file's entries for other platforms carry no integrity, and `ci` would
 * delete a whole node_modules for one changed line. `--no-save` keeps the working tree clean. Development
 * packages are included whatever NODE_ENV says, since the build needs them.
 *
 * @param {(text: string) => void} note
 */
export async function installPackages(note) {
  const hash = await hashContent(['package.json', 'package-lock.json'], {
    extra: [process.platform, process.arch, process.versions.modules],
  });
  if (await isStamped(stamp, hash)) return note('up to date');
  if (await isStamped(stamp, UNFINISHED)) await rm('node_modules', { recursive: true });
  await writeStamp(stamp, UNFINISHED);
  const { code, output } = await runCommand('npm', [
    'install',
    '--include=dev',
    '--include=optional',
    '--no-save',
    '--no-audit',
    '--no-fund',
  ]);
  if (code !== 0) {
    // An npm that ended by itself has put back what it found.
    if (code < 128) await removeStamp(stamp);
    throw new StepError(`npm install failed (exit ${code}):\n${tail(output, 15)}`, { hint: installHint });
  }
  await writeStamp(stamp, hash);
}

const installHint = `Run \`npm install\` to see the whole output. If the registry cannot be reached, look at
  npm config get registry          the registry or mirror in use
  npm config get proxy             and https-proxy, noproxy
  npm config get cafile            when a proxy signs with its own certificate
  HTTP_PROXY HTTPS_PROXY NO_PROXY  in the environment, which npm honours too`;
