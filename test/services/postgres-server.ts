import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasCode } from '../../scripts/lib/files.mjs';
import { type Service, spawnService } from '../../scripts/lib/services/spawn-service.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { findPostgres, toolsDir } from '../../scripts/lib/tools.mjs';

interface PostgresSettings {
  /** Must be accessible to all users if this process is root. */
  dir: string;
  /** Default: a free one. */
  port?: number | undefined;
  /** True makes each commit wait for the disk. Default: false. */
  flushes?: boolean;
}

type Programs = NonNullable<ReturnType<typeof findPostgres>>;

/** Starts a Postgres server as a private child process, for tests, drills and benchmarks. */
export function startPostgresServer({ dir, port, flushes = false }: PostgresSettings): Promise<Service> {
  const server = findPostgres();
  if (!server) {
    throw new StepError('No initdb and postgres found.', {
      hint: 'Run `npm test` once: on Debian it downloads them. On other systems, install the Postgres server.',
    });
  }
  const user = findUnprivilegedUser();
  const programs = user ? copyIfUnreachable(server) : server;
  return spawnService(
    'postgres',
    { ...programs, user, port, flushes, dir: path.resolve(dir) },
    { logFile: path.join(dir, '..', `${path.basename(dir)}.log`), folder: new URL('.', import.meta.url) },
  );
}

/** Copies unpacked programs to the temporary folder, once, if other users cannot access the clone, such as in root's home. */
function copyIfUnreachable(server: Programs): Programs {
  const tools = path.resolve(toolsDir);
  if (!server.binDir.startsWith(tools) || isOpenToAll(tools)) return server;
  const copy = path.join(os.tmpdir(), 'floodgate-tools');
  if (!existsSync(copy)) copyFolder(tools, copy);
  const { binDir, libraryPath } = server;
  return {
    binDir: binDir.replaceAll(tools, copy),
    ...(libraryPath && { libraryPath: libraryPath.replaceAll(tools, copy) }),
  };
}

/** Copies a folder under another name first: no later start would complete an interrupted copy. */
function copyFolder(from: string, to: string): void {
  const partial = mkdtempSync(`${to}-`);
  cpSync(from, partial, { recursive: true, verbatimSymlinks: true });
  chmodSync(partial, 0o755);
  try {
    renameSync(partial, to);
  } catch (error) {
    // Another process has completed its copy first.
    if (!hasCode(error, 'ENOTEMPTY')) throw error;
    rmSync(partial, { recursive: true });
  }
}

function isOpenToAll(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Finds the user for Postgres, which refuses to run as root. Returns undefined if this process is not root. */
function findUnprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find(([login]) => login === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  return undefined;
}
