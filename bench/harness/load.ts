import { Agent, request } from 'node:http';
import { StepError } from '../../scripts/lib/steps.mjs';
import type { Lab } from './lab';
import type { ServerAbout, serverTasks } from './tasks';

/** Number of keep-alive connections. */
export const CONNECTIONS = 32;
const WAIT_MS = 30_000;

/** The cost of calls: CPU time of the server's process for each, in µs, and calls per second. */
export interface Cost {
  cpuUs: number;
  perSecond: number;
}

export interface Call {
  path: string;
  headers: Record<string, string | number>;
  method?: string;
  body?: string;
}

/** A server in its own process, under the same load as the others. */
export interface LoadedServer {
  about: ServerAbout;
  /** Sends calls, and ignores their status. */
  warm(calls: number, nextCall: () => Call): Promise<void>;
  /** Sends calls. Throws if an answer has another status. */
  cost(calls: number, nextCall: () => Call, status: number): Promise<Cost>;
  stop(): Promise<void>;
}

/** Starts a server that receives calls on all connections. */
export async function startLoadedServer(
  lab: Lab,
  entry: string,
  args: readonly string[],
): Promise<LoadedServer> {
  const server = await lab.start<typeof serverTasks, ServerAbout>(entry, args);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  lab.onEnd(async () => agent.destroy());

  async function load(calls: number, nextCall: () => Call, status?: number): Promise<void> {
    let sent = 0;
    const work = async () => {
      while (sent < calls) {
        sent += 1;
        const call = nextCall();
        const answered = await send({ agent, port: server.about.port, ...call });
        if (answered !== (status ?? answered))
          throw new StepError(`${entry} answered ${answered} instead of ${status} to ${call.path}.`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }

  return {
    about: server.about,
    warm: load,
    async cost(calls, nextCall, status) {
      const before = await server.call('cpuUs');
      const startedAt = performance.now();
      await load(calls, nextCall, status);
      const tookMs = performance.now() - startedAt;
      return {
        cpuUs: ((await server.call('cpuUs')) - before) / calls,
        perSecond: (calls / tookMs) * 1000,
      };
    },
    stop: server.stop,
  };
}

/** Sends a call, and returns the status of the answer. */
function send({ body, ...options }: Call & { agent: Agent; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const req = request({ ...options, host: '127.0.0.1', timeout: WAIT_MS }, (res) => {
      res.once('end', () => resolve(res.statusCode ?? 0)).resume();
    });
    req.once('timeout', () => req.destroy(new StepError('A server did not answer.')));
    req.once('error', reject);
    req.end(body);
  });
}
