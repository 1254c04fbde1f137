/**
 * `node scripts/runtime.mjs FOLDER`: copies the files of a production server into an empty folder, in which
 * `node dist/main.js` starts. The Dockerfile ships this folder. Run it after `npm run build`.
 */
import { cp, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './lib/has-code.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { listRuntimeFiles } from './lib/runtime/list-runtime-files.mjs';

const folder = path.resolve(process.argv[2] ?? '');
process.chdir(repoRoot);
if (process.argv[2] === undefined || (await isOccupied(folder))) {
  console.error('Name an empty folder: node scripts/runtime.mjs FOLDER');
  process.exit(1);
}
const files = await listRuntimeFiles();
let bytes = 0;
for (const file of files) {
  await cp(file, path.join(folder, file), { dereference: true });
  bytes += (await stat(file)).size;
}
console.log(`${files.length} files, ${Math.round(bytes / 1_000_000)} MB in ${folder}`);

/** @param {string} name */
async function isOccupied(name) {
  try {
    return (await readdir(name)).length > 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
