import { runOrThrow } from '../../scripts/lib/processes.mjs';

/** An installation to test: of an example, or of the package next to one version of a peer. */
export interface Installation {
  /** The name on the command line. */
  name: string;
  /** Installs the tarball into an empty folder and runs what is there. Throws if anything fails. */
  run(folder: string, tarball: string): Promise<void>;
}

/** Installs packages by their names, versions and files. npm refuses peers that do not fit. */
export async function installPackage(folder: string, packages: readonly string[]): Promise<void> {
  await run(`npm install --no-audit --no-fund --no-update-notifier ${packages.join(' ')}`, folder);
}

/** Runs a command of a shell and returns its output. Throws if it fails. */
export function run(command: string, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const problem = `${command} failed:`;
  return runOrThrow('bash', ['-c', command], { cwd, problem, env: { NEXT_TELEMETRY_DISABLED: '1', ...env } });
}
