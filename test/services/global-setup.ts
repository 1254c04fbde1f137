import type { TestProject } from 'vitest/node';
import { startPglite } from './pglite';
import { startPostgres } from './postgres';
import { startRedis, startValkeyWasm } from './redis';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Redis shared by all integration tests: use a key prefix of your own and never empty it. */
    redisUrl: string;
    /** The embedded Redis, shared likewise. */
    valkeyUrl: string;
    /** A real Postgres server, shared: use a schema of your own. */
    postgresUrl: string;
    /** PGlite behind its socket, shared: one connection at a time, closed at the end of the file. */
    pgliteUrl: string;
  }
}

/** Starts one of each service for the whole run; `inject('redisUrl')` in a test reads where. */
export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  const starting = {
    redis: startRedis(),
    valkey: startValkeyWasm(),
    postgres: startPostgres(),
    pglite: startPglite(),
  };
  const outcomes = await Promise.allSettled(Object.values(starting));
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stopAll = async () => {
    await Promise.all(started.map((service) => service.stop()));
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await stopAll();
    throw failure.reason;
  }
  project.provide('redisUrl', (await starting.redis).url);
  project.provide('valkeyUrl', (await starting.valkey).url);
  project.provide('postgresUrl', (await starting.postgres).url);
  project.provide('pgliteUrl', (await starting.pglite).url);
  return stopAll;
}
