import { pgliteUrl, postgresUrl } from './services/worker-services';

/** Both Postgres engines of the product, for `describe.each(databases)`. */
export const databases = [
  { kind: 'Postgres', url: postgresUrl, pglite: false },
  { kind: 'PGlite', url: pgliteUrl, pglite: true },
];
