import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stopChild } from '../scripts/lib/processes.mjs';

/** A process of a drill. It exits with this process. */
export interface ForkedProcess {
  child: ChildProcess;
  kill(): Promise<void>;
}

/** Starts a process with a plan, and resolves after its first message. `onMessage` receives each message. */
export async function forkProcess(
  file: string,
  { plan, onMessage = () => undefined }: { plan: object; onMessage?: (message: unknown) => void },
): Promise<ForkedProcess> {
  const child = fork(file, [JSON.stringify(plan)], { execArgv: ['--import', 'tsx'] });
  child.on('message', onMessage);
  await once(child, 'message');
  return {
    child,
    kill: () => stopChild(child, { withinMs: 1_000, request: () => child.kill('SIGKILL') }),
  };
}
