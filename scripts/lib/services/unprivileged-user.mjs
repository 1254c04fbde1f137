import { readFileSync } from 'node:fs';

/**
 * @returns {{ uid: number, gid: number } | undefined} Whom Postgres should run as: nobody in particular when we
 *   are root (it refuses root), ourselves otherwise.
 */
export function findUnprivilegedUser() {
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
