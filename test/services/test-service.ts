import type { Service } from '../../scripts/lib/services/spawn-service.mjs';
import { makeTempFolder } from './temp-folder';

/** A private database that a test may kill, freeze, empty and restart. */
export interface TestService {
  url: string;
  port: number;
  /** The process of the server, for SIGSTOP and SIGCONT. */
  pid: number;
  /** Sends SIGKILL, as in a crash. Files in a given `dir` stay. */
  kill: () => Promise<void>;
  /** Stops the service, also if it is frozen. Removes its files unless `dir` was given. */
  stop: () => Promise<void>;
}

/** Starts a service in `dir`, or in a temporary folder that is removed with it. */
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
