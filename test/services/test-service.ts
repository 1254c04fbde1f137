import type { Service } from '../../scripts/lib/services/spawn-service.mjs';
import { makeTempFolder } from './temp-folder';

/** A database that a test owns: it may kill it, freeze it, empty it and start it again. */
export interface TestService {
  url: string;
  port: number;
  /** The process that serves, for SIGSTOP and SIGCONT. */
  pid: number;
  /** SIGKILL, as in a crash. Files in a `dir` that the caller named stay. */
  kill: () => Promise<void>;
  /** Ends it in good order, also when it is frozen; removes its files unless the caller named their `dir`. */
  stop: () => Promise<void>;
}

/** Runs a service in the caller's folder, or in a temporary one that goes with it. */
export async function startInFolder(
  name: string,
  dir: string | undefined,
  start: (dir: string) => Promise<Service>,
): Promise<TestService> {
  const folder = dir ? { dir, remove: async () => undefined } : await makeTempFolder(name);
  const service = await start(folder.dir);
  return {
    url: service.url,
    port: service.port,
    pid: service.pid,
    async kill() {
      await service.kill();
      await folder.remove();
    },
    async stop() {
      await service.stop();
      await folder.remove();
    },
  };
}
