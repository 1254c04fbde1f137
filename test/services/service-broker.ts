import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { createPgliteTemplate, startPglite } from './pglite';
import { startPostgres } from './postgres';
import { startRedis, startValkeyWasm } from './redis';
import type { TestService } from './test-service';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the broker that starts the services of a worker. Use it through `worker-services.ts`. */
    serviceBrokerUrl: string;
  }
}

const starters = {
  redis: startRedis,
  valkey: startValkeyWasm,
  postgres: startPostgres,
  pglite: startPgliteFromTemplate,
} satisfies Record<string, () => Promise<TestService>>;

let template: Promise<void> | undefined;

/** Creates the template of PGlite once, before the first PGlite starts. */
async function startPgliteFromTemplate(): Promise<TestService> {
  template ??= createPgliteTemplate();
  await template;
  return startPglite();
}

export type ServiceName = keyof typeof starters;

/**
 * Starts services on first use, one of each kind for each worker, and stops them at the end of the run.
 * A worker runs one file at a time, so no two files share a service at the same time.
 */
export default async function startServiceBroker(project: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, Promise<TestService>>();
  const broker = createServer(async (req, res) => {
    const [, name = '', worker = ''] = (req.url ?? '').split('/');
    const key = `${name}/${worker}`;
    try {
      const service = services.get(key) ?? starters[name as ServiceName]();
      services.set(key, service);
      res.end((await service).url);
    } catch (error) {
      res.writeHead(500).end(`${name} did not start: ${String(error)}`);
    }
  });
  const port = await listenOnFreePort(broker);
  project.provide('serviceBrokerUrl', `http://127.0.0.1:${port}`);
  return async () => {
    broker.close();
    broker.closeAllConnections();
    await Promise.allSettled([...services.values()].map(async (service) => (await service).stop()));
  };
}
