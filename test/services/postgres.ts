import { startPostgresServer } from '../../scripts/lib/services/start-postgres.mjs';
import { startInFolder, type TestService } from './test-service';

export interface DatabaseOptions {
  /** Default: a free one. */
  port?: number;
  /** Default: a temporary folder. Name one to start again from what a killed server left. */
  dir?: string;
}

/** Starts a private Postgres server with one empty database. Commits survive `kill` when `dir` is named. */
export function startPostgres({ port, dir }: DatabaseOptions = {}): Promise<TestService> {
  return startInFolder('postgres', dir, (folder) => startPostgresServer({ dir: folder, port }));
}
