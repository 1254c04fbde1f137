import { sql } from 'drizzle-orm';
import { saleKeys } from '../../server/redis/keys';
import { connectTestRedis } from '../../test/redis';
import { eventually } from '../../test/until';
import type { Drill } from '../drill';

/** Selects shoppers who arrive after the fault and before the window is full. */
const isPoisoned = (index: number) => index >= 60 && index < 100 && index % 8 === 0;

/** An unwritable order does not block later ones, and its stock returns to the gate. */
export const poisonedOutbox: Drill = {
  name: 'poisoned-outbox',
  description: 'orders that Postgres refuses and malformed entries are dead-lettered; their stock is sold',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  shopperId: (index) => (isPoisoned(index) ? `poison-${index}` : `shopper-${index}`),
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
      await eventually(hasBoth, 'both kinds are dead-lettered', { withinMs: 60_000 });
      note(`${(await texts()).length} dead letters`);
    } finally {
      redis.disconnect();
    }
  },
};
