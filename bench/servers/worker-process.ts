import type { ContenderName } from '../contenders/contenders';
import type { Lab } from '../harness/lab';
import type { BenchProcess } from '../harness/process';
import type { WorkerTasks } from './worker';

/** The process of one contender. */
export interface Worker extends BenchProcess<WorkerTasks, unknown> {
  name: ContenderName;
}

/** Starts the process of a contender. `clockOffsetMs`: the offset of its clock; default: 0. */
export async function startWorker(
  lab: Lab,
  name: ContenderName,
  { clockOffsetMs = 0 }: { clockOffsetMs?: number } = {},
): Promise<Worker> {
  const worker = await lab.start<WorkerTasks>('bench/servers/worker.ts', [name, String(clockOffsetMs)], {
    waitMs: 120_000,
  });
  return { ...worker, name };
}
