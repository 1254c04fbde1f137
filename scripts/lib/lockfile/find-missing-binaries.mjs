import { parsePlatform } from './parse-platform.mjs';

/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 *
 * @typedef {Record<string, LockEntry>} LockPackages  By place, such as "node_modules/next".
 */

/**
 * npm writes into the lock file only the optional binaries that fit the machine it runs on. `npm ci` elsewhere
 * then stops, or installs no binary at all. This finds the entries to add: for every optional dependency that is
 * bound to a platform and has no entry, one with its version and platform, without an address or a checksum.
 *
 * @param {LockPackages} packages
 * @returns {LockPackages}
 */
export function findMissingBinaries(packages) {
  /** @type {LockPackages} */
  const missing = {};
  for (const [place, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = parsePlatform(name);
      if (!platform || !isExact(version) || hasEntry(packages, place, name, version)) continue;
      const free = `node_modules/${name}`;
      const taken = packages[free] ?? missing[free];
      const where = taken && taken.version !== version ? `${place}/${free}` : free;
      missing[where] = lockEntry(version, platform, entry.dev);
    }
  }
  return missing;
}

/**
 * The fields in npm's own order, so that npm leaves the file as it is.
 *
 * @param {string} version
 * @param {{ os: string[], cpu: string[], libc?: string[] }} platform
 * @param {boolean | undefined} dev
 * @returns {LockEntry}
 */
function lockEntry(version, { os, cpu, libc }, dev) {
  return { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os };
}

/** @param {string} version */
function isExact(version) {
  return /^\d+\.\d+\.\d+/.test(version);
}

/**
 * Looks where Node would: beside the package, then in every node_modules above it.
 *
 * @param {LockPackages} packages
 * @param {string} place
 * @param {string} name
 * @param {string} version
 */
function hasEntry(packages, place, name, version) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at ? `${at}/node_modules/${name}` : `node_modules/${name}`];
    if (found) return found.version === version;
    if (!at) return false;
  }
}
