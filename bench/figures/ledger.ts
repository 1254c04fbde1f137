import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Service } from '../../scripts/lib/services/spawn-service.mjs';
import { startPgliteService } from '../../scripts/lib/services/start-services.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { findPostgres } from '../../scripts/lib/tools.mjs';
import { startPostgresServer } from '../../test/services/postgres-server';
import type { Figure, Lab } from '../harness/lab';
import { digits, table, withSpread } from '../harness/report';
import { measureInRounds, spreadsOf } from '../harness/rounds';
import type { LedgerTasks, Written } from '../servers/ledger';

const efforts = {
  full: { rounds: 7, rows: 10_000, warmUp: 5_000 },
  smoke: { rounds: 1, rows: 100, warmUp: 10 },
};

/** A node that writes orders to a database. */
interface Writer {
  name: string;
  write(count: number): Promise<Written>;
}

export const ledger: Figure = {
  name: 'ledger',
  ownLoad: 2,
  async measure(lab) {
    await lab.empty();
    const writers = await startWriters(lab);
    const { rounds, rows: count, warmUp } = efforts[lab.size];
    for (const { write } of writers) await write(warmUp);
    const taken = await measureInRounds(writers, {
      rounds,
      measure: ({ write }) => write(count),
      note: lab.note,
    });
    const rows = [...taken].map(([{ name }, written]) => ({
      database: name,
      ...spreadsOf(
        written.map(({ tookMs, cpuUs }) => ({
          perSecond: (count / tookMs) * 1000,
          nodeUs: cpuUs.node / count,
          databaseUs: (cpuUs.database ?? Number.NaN) / count,
          redisUs: cpuUs.redis / count,
        })),
      ),
    }));
    const postgres = rows.find(({ database }) => database === 'Postgres');
    return {
      text: table(
        ['database', 'rows/s', 'CPU for a row: the node, µs', 'the database, µs', 'Redis, µs'],
        rows.map(({ database, perSecond, nodeUs, databaseUs, redisUs }) => [
          database,
          withSpread(perSecond),
          ...[nodeUs, databaseUs, redisUs].map(({ median }) => digits(median)),
        ]),
      ),
      goals: postgres
        ? [{ what: 'ledger on Postgres, rows/s', bound: { min: 30_000 }, reached: postgres.perSecond }]
        : [],
    };
  },
};

async function startWriters(lab: Lab): Promise<Writer[]> {
  const writers: Writer[] = [];
  const hasPostgres = findPostgres() !== undefined;
  // The smoke test skips PGlite: its first start is the slowest step, and other tests cover the ledger on it.
  if (lab.size !== 'smoke' || !hasPostgres) {
    const pglite = await startPgliteService({ dir: path.join(lab.folder, 'pglite') });
    lab.onEnd(pglite.stop);
    writers.push(await startWriter(lab, pglite, 'PGlite'));
  }
  if (hasPostgres) {
    // As root, the server runs as a separate user, so its folder is outside the folder of the run.
    const folder = `${lab.folder}-postgres`;
    await mkdir(folder, { mode: 0o755 });
    lab.onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const postgres = await startPostgresServer({ dir: path.join(folder, 'data'), flushes: true });
    lab.onEnd(postgres.stop);
    writers.push(await startWriter(lab, postgres, 'Postgres'));
  } else console.log('  no Postgres server is installed, left out');
  return writers;
}

async function startWriter(lab: Lab, { url, pid }: Service, name: 'PGlite' | 'Postgres'): Promise<Writer> {
  const node = await lab.start<LedgerTasks>(
    'bench/servers/ledger.ts',
    [lab.redisUrl, url, name.toLowerCase(), String(pid)],
    { waitMs: 120_000 },
  );
  return {
    name,
    async write(count) {
      const written = await node.call('write', count);
      if (written.rows !== count)
        throw new StepError(`The ledger on ${name} wrote ${written.rows} of ${count} orders.`);
      return written;
    },
  };
}
