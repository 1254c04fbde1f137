import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { startPgliteService } from '../services/start-pglite.mjs';
import { toolsDir } from './tools-dir.mjs';

/** The files of a stopped PGlite. */
const files = ['data', 'complete'];

/**
 * Creates an empty PGlite database for tests to copy, unless there is one. A first start takes 4.5 s of CPU time, a start
 * from a copy 0.7 s, and every worker starts its own.
 *
 * @param {(text: string) => void} note
 */
export async function providePglite(note) {
  const template = templateDir();
  if (existsSync(template)) return note(path.basename(template));
  await mkdir(toolsDir, { recursive: true });
  const dir = await mkdtemp(path.resolve(toolsDir, 'pglite-first-'));
  const service = await startPgliteService({ dir });
  await service.stop();
  await rename(dir, template);
  note(path.basename(template));
}

/**
 * Copies the template into the folder of a PGlite. Without a template, the PGlite creates its database.
 *
 * @param {string} dir  Must not exist.
 */
export async function copyPgliteTemplate(dir) {
  const template = templateDir();
  if (!existsSync(template)) return;
  await Promise.all(
    files.map((name) => cp(path.join(template, name), path.join(dir, name), { recursive: true })),
  );
}

/** Returns the folder of the template. Each version has its own, because the file format may change. */
function templateDir() {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  return path.resolve(toolsDir, `pglite-${version}`);
}
