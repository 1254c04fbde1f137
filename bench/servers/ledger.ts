/** Writes orders from an outbox to a database as a node does: `ledger.ts REDIS_URL DATABASE_URL KIND DATABASE_PID`. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createDatabase } from '../../server/db/client';
import { migrateDatabase } from '../../server/db/migrate';
import { connectRedis } from '../../server/redis/client';
import { saleKeys } from '../../server/redis/keys';
import { LEDGER_LAG_BOUND } from '../../server/sale/gate/gate';
import { createLedger } from '../../server/sale/ledger/ledger';
import { createOutbox } from '../../server/sale/ledger/outbox';
import { publishSettled } from '../../server/sale/ledger/settled-orders';
import { insertCoupon } from '../../test/coupons';
import { serverTasks, serveTasks } from '../harness/tasks';

const [redisUrl = '', databaseUrl = '', kind, databasePid] = process.argv.slice(2);
const GROUP = 'bench';

const redis = await connectRedis([redisUrl], () => undefined);
const database = createDatabase({ url: databaseUrl, pglite: kind === 'pglite' });
await migrateDatabase(database);
const outbox = createOutbox({ redis, group: GROUP, consumer: 'bench' });

/** Creates a coupon on sale, with its outbox. */
async function openCoupon(): Promise<string> {
  const id = await insertCoupon(database.db, { stock: 1_000_000 });
  await redis.xgroup('CREATE', saleKeys(id).outbox, GROUP, '0', 'MKSTREAM');
  return id;
}

/** Adds entries to the outbox as the gate does. */
async function sell(couponId: string, count: number): Promise<void> {
  const { outbox: stream } = saleKeys(couponId);
  for (let sold = 0; sold < count; ) {
    const batch = redis.pipeline();
    for (const end = Math.min(count, sold + 500); sold < end; sold += 1) {
      batch.xadd(
        ...[stream, '*', 'generation', 0, 'sequence', sold + 1, 'order', randomUUID()],
        ...['shopper', `shopper-${sold}`, 'code', randomUUID().slice(0, 8), 'request', randomUUID()],
        ...['at', Date.now()],
      );
    }
    for (const [error] of (await batch.exec()) ?? []) if (error) throw error;
  }
}

/** Reads the CPU time used so far by the node, Redis and the database, in µs. */
async function readCpu() {
  const inRedis = await redis.info('cpu');
  const seconds = ['user', 'sys'].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}:(.+)`).exec(inRedis)?.[1]),
  );
  return {
    node: serverTasks.cpuUs(),
    redis: seconds.reduce((sum, one) => sum + one, 0) * 1e6,
    database: cpuOfTree(Number(databasePid)),
  };
}

/** Linux counts CPU time in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the CPU time of a process and its children in µs; `undefined` if Linux does not report it. */
function cpuOfTree(pid: number): number | undefined {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(listed)) return undefined;
  const children = readFileSync(listed, 'utf8').split(' ').map(Number).filter(Boolean);
  return [pid, ...children].reduce((sum, one) => sum + cpuOf(one), 0);
}

/** Returns the CPU time of a process in µs; 0 if it has ended. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // The program name in brackets may contain spaces. User and system time are the 12th and 13th field after it.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** The result of one run of the ledger. */
export interface Written {
  rows: number;
  tookMs: number;
  /** `database` is absent if the system does not report it. */
  cpuUs: { node: number; redis: number; database?: number | undefined };
}

/** Sells orders of a new coupon, and writes them to the database. */
async function write(count: number): Promise<Written> {
  const couponId = await openCoupon();
  await sell(couponId, count);
  let rows = 0;
  const ledger = createLedger({
    db: database.db,
    outbox,
    listDueOutboxes: async () => [couponId],
    onBacklog: () => undefined,
    lagBound: LEDGER_LAG_BOUND,
    releaseReservation: async () => undefined,
    markForRebuild: () => undefined,
    onSettled: (orders, mark) => publishSettled(redis, orders, mark ? [mark] : []),
    onWritten(order) {
      if (order.status === 'confirmed') rows += 1;
    },
    onDeadLetter: () => undefined,
    onBehind: () => undefined,
    onLag: () => undefined,
    readStoreTime: async () => Date.now(),
    log: { warn: console.error, error: console.error },
  });
  const before = await readCpu();
  const startedAt = performance.now();
  ledger.requestDrain(couponId);
  await ledger.stop();
  const tookMs = performance.now() - startedAt;
  const after = await readCpu();
  const cpuUs = {
    node: after.node - before.node,
    redis: after.redis - before.redis,
    database: before.database && after.database && after.database - before.database,
  };
  return { rows, tookMs, cpuUs };
}

const tasks = { write };
export type LedgerTasks = typeof tasks;

serveTasks(tasks);
