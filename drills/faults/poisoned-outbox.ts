import { sql } from 'drizzle-orm';
import { saleKeys } from '../../server/redis/keys';
import { connectTestRedis } from '../../test/redis';
import type { Drill } from '../drill';
import { eventually } from '../eventually';

/** Some of those who come after the fault, and before the window is full. */
const isPoisoned = (place: number) => place >= 60 && place < 100 && place % 8 === 0;

/** What cannot be written holds up nothing behind it, and its stock goes to somebody else. */
export const poisonedOutbox: Drill = {
  name: 'poisoned-outbox',
  description:
    'orders that Postgres refuses and entries that are no orders are put aside; their stock is sold',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  shopperId: (place) => (isPoisoned(place) ? `poison-${place}` : `shopper-${place}`),
  async inject({ topology, couponId, note }) {
    const { outbox, dead } = saleKeys(couponId);
    const { db } = topology.database;
    await db.execute(
      sql`alter table orders add constraint no_poison check (user_id not like 'poison-%') not valid`,
    );
    const redis = await connectTestRedis(topology.store.url);
    try {
      await redis.xadd(outbox, '*', 'this', 'is no order');
      await redis.xadd(outbox, '*', 'generation', 'none', 'order', '', 'shopper', 'nobody');
      const texts = async () => (await redis.xrange(dead, '-', '+')).map(([, fields]) => fields.join(' '));
      const hasBoth = async () => {
        const letters = await texts();
        const malformed = letters.filter((letter) => letter.includes('why is no order'));
        return malformed.length >= 2 && letters.some((letter) => letter.includes('no_poison'));
      };
      await eventually(hasBoth, 'both kinds lie with the dead letters', 60_000);
      note(`${(await texts()).length} dead letters`);
    } finally {
      redis.disconnect();
    }
  },
};
