import { lockCoupon } from '../../ledger-lock';
import type { Drill } from '../drill';
import { eventually } from '../eventually';
import type { Topology } from '../topology';

const CUTS = 5;

/** Postgres rolls back what was begun; the entries are still in the outbox and are written by another try. */
export const connectionCut: Drill = {
  name: 'connection-cut',
  what: 'the ledger’s connection is cut in the middle of its transaction, five times',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, untilConfirmed }) {
    for (let cut = 0; cut < CUTS; cut++) {
      const lock = await lockCoupon(topology.ledger.url, couponId);
      try {
        await eventually(async () => (await cutWaiting(topology)) > 0, 'a transaction of the ledger waits');
      } finally {
        await lock.release();
      }
      await untilConfirmed(55 + 8 * cut);
    }
  },
};

/** Ends the backends of the nodes that wait for a lock within a transaction, and says how many those were. */
async function cutWaiting({ database }: Topology): Promise<number> {
  const { rows } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'floodgate' and wait_event_type = 'Lock' and xact_start is not null`,
  );
  return rows.length;
}
