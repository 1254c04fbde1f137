import { pgliteUrl, postgresUrl } from './services/worker-services';

/** The two Postgres engines that the product runs on, for suites that run on both: `describe.each(databases)`. */
export const databases = [
  { kind: 'Postgres', url: postgresUrl, pglite: false },
  { kind: 'PGlite', url: pgliteUrl, pglite: true },
];
