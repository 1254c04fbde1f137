import { startPostgresServer } from './postgres-server';
import { startInFolder, type TestService } from './test-service';

export interface DatabaseOptions {
  /** Default: a free port. */
  port?: number;
  /** Default: a temporary folder. Set it to restart from the files of a killed server. */
  dir?: string;
}

/** Starts a private Postgres server with one empty database. With `dir`, commits survive `kill`. */
export function startPostgres({ port, dir }: DatabaseOptions = {}): Promise<TestService> {
  return startInFolder('postgres', dir, (folder) => startPostgresServer({ dir: folder, port }));
}
