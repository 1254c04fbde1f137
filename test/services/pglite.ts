import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { startPgliteService } from '../../scripts/lib/services/start-services.mjs';
import { toolsDir } from '../../scripts/lib/tools.mjs';
import type { DatabaseOptions } from './postgres';
import { startInFolder, type TestService } from './test-service';

/** Starts a private PGlite behind its socket. All its connections share one session: use one at a time. */
export function startPglite({ port, dir }: DatabaseOptions = {}): Promise<TestService> {
  return startInFolder('pglite', dir, async (folder) => {
    if (!existsSync(folder)) await copyTemplate(folder);
    return startPgliteService({ dir: folder, port });
  });
}

/**
 * Creates an empty database for `startPglite` to copy, unless there is one. A first start takes 4.5 s of CPU time, a start
 * from a copy 0.7 s, and every worker starts its own.
 */
export async function createPgliteTemplate(): Promise<void> {
  const template = templateDir();
  if (existsSync(template)) return;
  await mkdir(toolsDir, { recursive: true });
  const dir = await mkdtemp(path.resolve(toolsDir, 'pglite-first-'));
  const service = await startPgliteService({ dir });
  await service.stop();
  await rename(dir, template);
}

/** Copies the files of the template. Without a template, the PGlite creates its database. */
async function copyTemplate(dir: string): Promise<void> {
  const template = templateDir();
  if (!existsSync(template)) return;
  await Promise.all(
    ['data', 'complete'].map((name) =>
      cp(path.join(template, name), path.join(dir, name), { recursive: true }),
    ),
  );
}

/** Returns the folder of the template. Each version has its own, because the file format may change. */
function templateDir(): string {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  return path.resolve(toolsDir, `pglite-${version}`);
}
