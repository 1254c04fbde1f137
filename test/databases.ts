import { isFull } from './property';
import { pgliteUrl, postgresUrl } from './services/worker-services';

/** Both Postgres engines of the product, for `describe.each(databases)`. */
export const databases = [
  { kind: 'Postgres', url: postgresUrl, pglite: false },
  { kind: 'PGlite', url: pgliteUrl, pglite: true },
];

/**
 * The engines for tests whose queries need one session only: both run the same Postgres, so `npm test` uses the server, and
 * full runs use both.
 */
export const queryDatabases = isFull ? databases : databases.slice(0, 1);
