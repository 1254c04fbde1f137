import { readFileSync } from 'node:fs';
import { signalProcess } from '../../scripts/lib/processes.mjs';

/**
 * Signals a process and its children, as listed by Linux: each backend of Postgres is a separate process. The parent gets
 * the signal first, so that a stopped parent starts no further children.
 */
export function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, signal);
  for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/)) {
    // A backend may have exited since the list was read.
    if (child) signalProcess(Number(child), signal);
  }
}
