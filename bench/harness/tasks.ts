import process from 'node:process';

/** The functions of a process of the benchmark, which `startProcess` calls by name. */
export type Tasks = Record<string, (input: never) => unknown>;

/**
 * Executes tasks that arrive over IPC one at a time, and replies with the result or the error. Exits with the parent.
 * `about`: the first message to the parent, such as the port of a server.
 */
export function serveTasks(tasks: Tasks, about: object = {}): void {
  process.on('message', async ({ task, input }: { task: string; input: never }) => {
    try {
      process.send?.({ result: await tasks[task]?.(input) });
    } catch (error) {
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ result: about });
}

/** The tasks of a server under load: `cpuUs` returns the CPU time of its process so far. */
export const serverTasks = {
  cpuUs(): number {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/** The first message of a server. `cookies`: of its signed-in shoppers. */
export interface ServerAbout {
  port: number;
  cookies?: readonly string[];
}
