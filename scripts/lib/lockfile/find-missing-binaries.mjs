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
 * @typedef {Record<string, LockEntry>} LockPackages  By path, such as "node_modules/next".
 */

/**
 * Finds the entries that the lock file lacks. npm writes only the optional binaries for the current machine, so `npm ci`
 * on another platform fails or installs no binary. Returns an entry for each optional dependency of another platform,
 * with version and platform, without an address or a checksum.
 *
 * @param {LockPackages} packages
 * @returns {LockPackages}
 */
export function findMissingBinaries(packages) {
  /** @type {LockPackages} */
  const missing = {};
  for (const [parentPath, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = parsePlatform(name);
      if (!platform || !isExact(version) || hasEntry(packages, parentPath, name, version)) continue;
      const topLevel = `node_modules/${name}`;
      const existing = packages[topLevel] ?? missing[topLevel];
      const path = existing && existing.version !== version ? `${parentPath}/${topLevel}` : topLevel;
      missing[path] = lockEntry(version, platform, entry.dev);
    }
  }
  return missing;
}

/**
 * Creates an entry with the fields in npm's order, so that npm does not rewrite the file.
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
 * Checks the paths that Node checks: next to the package, then in every node_modules above it.
 *
 * @param {LockPackages} packages
 * @param {string} parentPath
 * @param {string} name
 * @param {string} version
 */
function hasEntry(packages, parentPath, name, version) {
  for (let at = parentPath; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at ? `${at}/node_modules/${name}` : `node_modules/${name}`];
    if (found) return found.version === version;
    if (!at) return false;
  }
}
