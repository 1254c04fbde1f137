import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Bundles the server into dist/main.js, because Node 20 cannot run TypeScript. Packages stay external, so that they find
 * their own files. Benchmarks bundle their own entry, also into dist/, because a bundle finds lua/ one level above.
 */
export async function bundleServer({
  entry = 'server/main.ts',
  outfile = 'dist/main.js',
  plugins = /** @type {import('esbuild').Plugin[]} */ ([]),
} = {}) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    plugins,
  });
}

/** A smaller response fits one packet without compression. */
const MIN_BYTES = 1_024;

/**
 * Writes a .br and a .gz next to each text file below the folder, at the best level, so that no request compresses it. A
 * file that compression does not shrink is skipped.
 *
 * @param {string} folder
 */
export async function precompress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(css|html|ico|js|json|mjs|svg|txt|xml)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all(files.map(compressFile));
}

/** @param {string} file */
async function compressFile(file) {
  const content = await readFile(file);
  if (content.length < MIN_BYTES) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  if (br.length < content.length) await writeFile(`${file}.br`, br);
  if (gz.length < content.length) await writeFile(`${file}.gz`, gz);
}
