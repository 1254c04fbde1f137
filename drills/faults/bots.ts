import { setTimeout as sleep } from 'node:timers/promises';
import { insertCoupon } from '../../test/coupons';
import { type Account, type BotKind, botKinds, clickSeckill, createAccounts, startBots } from '../bots';
import { type Drill, fullSize, type Scene } from '../drill';
import { untilOpen } from '../until-open';

const BOTS = 24;
const SHOPPERS = 40;
/** Twice a second. */
const SHOPPER_EVERY_MS = 500;
/** Longer than a window. From then on the bots call at their steady rate. */
const BOTS_FIRST_MS = fullSize.windowMs + 1_000;
/** Two windows. */
const BOUGHT_WITHIN_MS = 2 * fullSize.windowMs;

/** Bots whose calls cannot buy anything. They must not take slots of the window `global` from shoppers. */
export const bots: Drill = {
  name: 'bots',
  description:
    '24 accounts call for an unknown coupon, then for their own, then buy → cancel → buy; 40 shoppers come twice a second',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres'],
  sizeOn: () => ({ ...fullSize, shoppers: 30, stock: 30 }),
  async inject(scene) {
    for (const kind of botKinds) await expectShoppersToBuy(scene, kind);
  },
};

async function expectShoppersToBuy(
  { topology, cookieOf, note, reportProblem }: Scene,
  kind: BotKind,
): Promise<void> {
  const { db } = topology.database;
  const urls = topology.nodes.map(({ url }) => url);
  const named = (who: string, count: number) =>
    createAccounts(
      { urls, cookieOf },
      Array.from({ length: count }, (_, index) => `${who}-${kind.replaceAll(/\W+/g, '-')}-${index}`),
    );
  const couponId = await insertCoupon(db, { stock: SHOPPERS });
  const botCoupon = await insertCoupon(db, { stock: 10 * BOTS });
  await Promise.all([untilOpen(urls, couponId), untilOpen(urls, botCoupon)]);

  const running = startBots({ kind, accounts: named('bot', BOTS), couponId: botCoupon });
  try {
    await sleep(BOTS_FIRST_MS);
    const shoppers = await comeUntilBought(named('shopper', SHOPPERS), couponId);
    const bought = shoppers.filter(({ hasBought }) => hasBought).length;
    const refusals = shoppers.reduce((sum, { refused }) => sum + refused, 0);
    const slowestMs = Math.max(...shoppers.map(({ tookMs }) => tookMs));
    note(
      `${kind}: ${bought} of ${SHOPPERS} bought within ${(slowestMs / 1_000).toFixed(1)} s and ${refusals} refusals; ` +
        `bots made ${running.calls()} calls and ${running.orders()} orders`,
    );
    if (bought < SHOPPERS) reportProblem(`${kind}: ${bought} of ${SHOPPERS} shoppers bought`);
  } finally {
    await running.stop();
  }
}

interface Shopper {
  hasBought: boolean;
  tookMs: number;
  /** Calls that a limit refused. */
  refused: number;
}

/** Sends a call of each shopper twice a second until they have an order or the time is over. */
function comeUntilBought(accounts: readonly Account[], couponId: string): Promise<Shopper[]> {
  return Promise.all(
    accounts.map(async (account, index) => {
      await sleep((index * SHOPPER_EVERY_MS) / accounts.length);
      const startedAt = performance.now();
      const shopper: Shopper = { hasBought: false, tookMs: 0, refused: 0 };
      while (!shopper.hasBought && shopper.tookMs < BOUGHT_WITHIN_MS) {
        const next = sleep(SHOPPER_EVERY_MS);
        const { kind } = await clickSeckill(account, couponId);
        shopper.tookMs = performance.now() - startedAt;
        shopper.hasBought = kind === 'order';
        if (kind === 'refused') shopper.refused += 1;
        if (!shopper.hasBought) await next;
      }
      return shopper;
    }),
  );
}
