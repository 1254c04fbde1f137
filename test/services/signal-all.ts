import { readFileSync } from 'node:fs';
import { signalProcess } from '../../scripts/lib/process-group.mjs';

/**
 * Signals a process and its children, as Linux lists them: a Postgres is frozen only when its backends are, each of
 * which is a process of its own. The parent first when it is stopped, so that it starts no more of them meanwhile.
 */
export function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, signal);
  for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/)) {
    // A backend may have ended since the list was read.
    if (child) signalProcess(Number(child), signal);
  }
}
