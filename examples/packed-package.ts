import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { providePackage } from '../scripts/lib/limiter-package';
import { runCommand } from '../scripts/lib/processes.mjs';

export const repo = fileURLToPath(new URL('..', import.meta.url));

/** A packed package, and the folder into which it was unpacked. */
export interface PackedPackage {
  tarball: string;
  installed: string;
}

/** Unpacks the tarball of the package into the `node_modules` of a folder, as `npm install` does. */
export async function unpackPackage(folder: string): Promise<PackedPackage> {
  const tarball = path.resolve(repo, await providePackage());
  const installed = path.join(folder, 'node_modules/floodgate-limiter');
  await mkdir(installed, { recursive: true });
  const { code, output } = await runCommand('tar', ['xzf', tarball, '-C', installed, '--strip-components=1']);
  if (code !== 0) throw new Error(`${tarball} was not unpacked: ${output}`);
  return { tarball, installed };
}

/** Compiles a project. Returns the errors and the exit code. */
export function compile(project: string): Promise<{ output: string; code: number }> {
  const tsc = path.join(repo, 'node_modules/typescript-7/bin/tsc');
  return runCommand(process.execPath, [tsc, '-p', project]);
}
