/**
 * `node --import tsx scripts/lockfile-binaries.ts`: adds the optional binaries of other platforms to package-lock.json. Run
 * it after each change of a dependency. Its test fails if one is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/** By path, such as "node_modules/next". */
type LockPackages = Record<string, LockEntry>;

interface Platform {
  os: string[];
  cpu: string[];
  libc?: string[];
}

const SYSTEMS = new Set('aix android darwin freebsd linux netbsd openbsd openharmony sunos win32'.split(' '));
const PROCESSORS = new Set('arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x x64'.split(' '));

if (process.argv[1] === import.meta.filename) addMissingBinaries('package-lock.json');

function addMissingBinaries(file: string): void {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = findMissingBinaries(lock.packages);
  const all = Object.entries({ ...lock.packages, ...missing });
  lock.packages = Object.fromEntries(all.toSorted(([a], [b]) => a.localeCompare(b, 'en')));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}: added ${Object.keys(missing).length} binaries of other platforms`);
}

/**
 * Finds the entries that the lock file lacks. npm writes only the optional binaries for the current machine, so `npm ci`
 * on another platform fails or installs no binary. Returns an entry for each optional dependency of another platform,
 * with version and platform, without an address or a checksum.
 */
export function findMissingBinaries(packages: LockPackages): LockPackages {
  const missing: LockPackages = {};
  for (const [parentPath, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = parsePlatform(name);
      const isExact = /^\d+\.\d+\.\d+/.test(version);
      if (!platform || !isExact || hasEntry(packages, parentPath, name, version)) continue;
      const topLevel = `node_modules/${name}`;
      const existing = packages[topLevel] ?? missing[topLevel];
      const path = existing && existing.version !== version ? `${parentPath}/${topLevel}` : topLevel;
      missing[path] = createEntry(version, platform, entry.dev);
    }
  }
  return missing;
}

/** Creates an entry with the fields in npm's order, so that npm does not rewrite the file. */
function createEntry(version: string, { os, cpu, libc }: Platform, dev: boolean | undefined): LockEntry {
  return { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os };
}

/** Checks the paths that Node checks: next to the package, then in every node_modules above it. */
function hasEntry(packages: LockPackages, parentPath: string, name: string, version: string): boolean {
  for (let at = parentPath; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at ? `${at}/node_modules/${name}` : `node_modules/${name}`];
    if (found) return found.version === version;
    if (!at) return false;
  }
}

/**
 * Parses the platform of a binary package from its name, such as `@next/swc-win32-arm64-msvc`. The registry would return
 * the same, but needs a network. Returns undefined for a package without a platform.
 */
export function parsePlatform(name: string): Platform | undefined {
  const words = name.split(/[-/]/);
  const os = words.find((word) => SYSTEMS.has(word));
  const cpu = words.find((word) => PROCESSORS.has(word));
  if (!os || !cpu) return undefined;
  const libc = os === 'linux' ? parseLibc(words) : undefined;
  return { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
}

function parseLibc(words: string[]): string | undefined {
  if (words.some((word) => word.startsWith('musl'))) return 'musl';
  return words.some((word) => word.startsWith('gnu')) ? 'glibc' : undefined;
}
