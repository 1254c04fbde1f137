import { lockCoupon } from '../../test/ledger-lock';
import { eventually } from '../../test/until';
import type { Drill } from '../drill';
import { readSold } from '../final-state';
import type { Topology } from '../topology';

const CUTS = 5;
/** With this many sold, no further transaction may come. */
const SOLD_ENOUGH = 140;

/** Postgres rolls back the transaction. Its entries stay in the outbox, and the next attempt writes them. */
export const connectionCut: Drill = {
  name: 'connection-cut',
  description: 'the ledger’s connection is cut in the middle of its transaction, up to five times',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, waitForConfirmed, note, reportProblem }) {
    let cuts = 0;
    const cut = async () => {
      const ended = await cutWaiting(topology);
      cuts += ended;
      // A sale that has almost sold out has nothing left to write.
      return ended > 0 || (await readSold(topology, couponId)) >= SOLD_ENOUGH;
    };
    for (let round = 0; round < CUTS; round++) {
      const lock = await lockCoupon(topology.ledger.url, couponId);
      try {
        await eventually(cut, 'a transaction of the ledger waits', { withinMs: 60_000 });
      } finally {
        await lock.release();
      }
      await waitForConfirmed(55 + 8 * round);
    }
    note(`${cuts} transactions were cut`);
    if (cuts === 0) reportProblem('no transaction of the ledger was cut');
  },
};

/** Terminates the backends of nodes that wait for a lock within a transaction. Returns their number. */
async function cutWaiting({ database }: Topology): Promise<number> {
  const { rows } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'floodgate' and wait_event_type = 'Lock' and xact_start is not null`,
  );
  return rows.length;
}
