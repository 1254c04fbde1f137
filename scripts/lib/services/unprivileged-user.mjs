import { readFileSync } from 'node:fs';

/**
 * @returns {{ uid: number, gid: number } | undefined} The user for Postgres, which refuses to run as root.
 *   Undefined if this process is not root.
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
