import { saleKeys } from '../../../server/redis/keys';
import { connectTestRedis } from '../../redis';
import type { Drill } from '../drill';
import { eventually } from '../eventually';

/** Postgres takes no NUL in a text, so no order of such a shopper can be written. */
const isPoisoned = (place: number) => place % 20 === 19 && place < 100;

export const poisonedOutbox: Drill = {
  name: 'poisoned-outbox',
  what: 'orders that Postgres refuses and entries that are no orders are put aside; their stock is sold',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  shopperId: (place) => (isPoisoned(place) ? `poison-\u0000-${place}` : `shopper-${place}`),
  async inject({ topology, couponId, note }) {
    const { outbox, dead } = saleKeys(couponId);
    const redis = await connectTestRedis(topology.store.url);
    try {
      await redis.xadd(outbox, '*', 'this', 'is no order');
      await redis.xadd(outbox, '*', 'generation', 'none', 'order', '', 'shopper', 'nobody');
      const texts = async () => (await redis.xrange(dead, '-', '+')).map(([, fields]) => fields.join(' '));
      const hasBoth = async () => {
        const letters = await texts();
        const malformed = letters.filter((letter) => letter.includes('is no order'));
        return malformed.length >= 2 && letters.some((letter) => letter.includes('poison-'));
      };
      await eventually(hasBoth, 'both kinds lie with the dead letters', 60_000);
      note(`${(await texts()).length} dead letters`);
    } finally {
      redis.disconnect();
    }
  },
};
