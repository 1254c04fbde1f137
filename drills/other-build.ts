import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../scripts/lib/processes.mjs';

/**
 * Copies the build into an empty folder, with another text of `decide.lua`. Its nodes use a function of another name, as
 * those of a release with a changed limiter do.
 */
export async function copyOtherBuild(folder: string): Promise<void> {
  await runOrThrow(process.execPath, ['--import', 'tsx', 'scripts/runtime.ts', folder], {
    hint: 'Run: npm run build',
  });
  await appendFile(path.join(folder, 'lua/limiter/decide.lua'), '-- The text of another release.\n');
}
