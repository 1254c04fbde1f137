/**
 * `node scripts/lockfile-binaries.mjs`: adds the optional binaries of other platforms to package-lock.json. Run it after
 * each change of a dependency. With `--check` it changes nothing and fails if a binary is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { findMissingBinaries } from './lib/lockfile/find-missing-binaries.mjs';
import { repoRoot } from './lib/repo-root.mjs';

process.chdir(repoRoot);
const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = findMissingBinaries(lock.packages);
const names = Object.keys(missing);

if (process.argv.includes('--check')) {
  if (names.length > 0) {
    console.error(`${file} lacks binaries of other platforms. Run: node scripts/lockfile-binaries.mjs`);
    console.error(names.join('\n'));
    process.exitCode = 1;
  }
} else if (names.length > 0) {
  const all = Object.entries({ ...lock.packages, ...missing });
  lock.packages = Object.fromEntries(all.toSorted(([a], [b]) => a.localeCompare(b, 'en')));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}: added ${names.length} binaries of other platforms`);
}
