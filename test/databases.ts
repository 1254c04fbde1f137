import { inject } from 'vitest';

/** The two Postgres engines that the product runs on, for suites that run on both: `describe.each(databases)`. */
export const databases = [
  { kind: 'Postgres', url: (): string => inject('postgresUrl'), pglite: false },
  { kind: 'PGlite', url: (): string => inject('pgliteUrl'), pglite: true },
];
