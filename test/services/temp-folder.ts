import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * A fresh folder for one service. It lies in the system's temporary folder and is open to everyone, because a
 * Postgres started by root runs as somebody else.
 */
export async function makeTempFolder(name: string): Promise<{ dir: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(path.join(os.tmpdir(), `floodgate-${name}-`));
  await chmod(parent, 0o755);
  return {
    dir: path.join(parent, name),
    remove: () => rm(parent, { recursive: true, force: true, maxRetries: 3 }),
  };
}
