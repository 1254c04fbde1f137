import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * Creates the temporary folder of one service. It is open to all users, because a Postgres started by root runs as another
 * user.
 */
export async function makeTempFolder(name: string): Promise<{ dir: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(path.join(os.tmpdir(), `floodgate-${name}-`));
  await chmod(parent, 0o755);
  return {
    dir: path.join(parent, name),
    remove: () => rm(parent, { recursive: true, force: true, maxRetries: 3 }),
  };
}
