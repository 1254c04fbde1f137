import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../run-command.mjs';
import { toolsDir } from './tools-dir.mjs';

/** The output format of dpkg: one line such as "ii  libc6" for each package. */
const dpkgFormat = '$' + '{db:Status-Abbrev} $' + '{Package}\n';

/** Returns true if packages can be downloaded and unpacked on this machine. */
export function isDebian() {
  return (
    existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg-deb')
  );
}

/**
 * Downloads Debian packages and unpacks them into .data/tools, without root and without starting a service. apt uses its
 * own lists and cache there, because an update of the system's lists requires root.
 *
 * @param {string[]} packages
 * @param {{ without?: RegExp }} [options] `without`: libraries that only unused parts need.
 */
export async function unpackDebianPackages(packages, { without = /^$/ } = {}) {
  const state = path.resolve(toolsDir, 'apt');
  const downloads = path.join(state, 'downloads');
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
    await mkdir(path.join(state, folder), { recursive: true });
  }
  const settings = [
    ['-o', `Dir::State=${state}/state`],
    ['-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ['-o', `Dir::Cache=${state}/cache`],
    ['-o', 'APT::Sandbox::User=root'],
  ].flat();
  await apt('apt-get', [...settings, 'update'], downloads);
  const names = await listMissingPackages(packages, settings, downloads, without);
  await apt('apt-get', [...settings, 'download', ...names], downloads);
  for (const file of await readdir(downloads)) {
    const problem = `${file} could not be unpacked:`;
    await runOrThrow('dpkg-deb', ['-x', path.join(downloads, file), toolsDir], { problem });
  }
  await rm(state, { recursive: true });
}

/**
 * Lists the packages and those of their shared libraries that this system lacks.
 *
 * @param {string[]} packages
 * @param {string[]} settings
 * @param {string} cwd
 * @param {RegExp} without
 */
async function listMissingPackages(packages, settings, cwd, without) {
  const onlyNeeded = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const tree = await apt(
    'apt-cache',
    [...settings, 'depends', '--recurse', ...onlyNeeded.map((kind) => `--no-${kind}`), ...packages],
    cwd,
  );
  const installed = await apt('dpkg-query', ['-W', '-f', dpkgFormat], cwd);
  const present = new Set(
    installed
      .split('\n')
      .filter((line) => line.startsWith('ii'))
      .map((line) => line.slice(2).trim()),
  );
  const libraries = tree
    .split('\n')
    .filter((line) => /^lib[a-z0-9]/.test(line) && !line.endsWith('-perl') && !without.test(line));
  return [...packages, ...libraries.filter((name) => !present.has(name))];
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<string>}
 */
function apt(command, args, cwd) {
  const problem = `${command} ${args.at(-1)} failed:`;
  const hint = 'Check /etc/apt/sources.list* and the proxy: apt-config dump | grep -i proxy';
  return runOrThrow(command, args, { cwd, problem, hint });
}
