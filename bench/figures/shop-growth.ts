import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { buildApp } from '../../scripts/lib/build-app.mjs';
import { findPostgres } from '../../scripts/lib/tools.mjs';
import type { ShopSize } from '../../test/big-shop';
import { startPostgresServer } from '../../test/services/postgres-server';
import type { Finding, Lab } from '../harness/lab';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { type Spread, spreadOf } from '../harness/rounds';
import { type Caller, LIVE_SECKILL, type Shop, startShop } from '../harness/shop';

/** The rows of the smallest shop fill a page of each list, so that a longer page is growth. */
const small = {
  ...{ endedToday: 10, merchants: 600, orders: 1_000, ordersOfShopper: 100, ended: 10 },
  ...{ payments: 100, persons: 300, auditEntries: 300 },
};
const large = {
  ...{ endedToday: 10, merchants: 10_000, orders: 1_000_000, ordersOfShopper: 10_000, ended: 10_000 },
  ...{ payments: 100_000, persons: 10_000, auditEntries: 10_000 },
};
const efforts = {
  full: {
    shops: [
      { live: 16, ...small },
      { live: 200, ...small },
      { live: 2_000, ...large },
    ],
    ...{ rounds: 15, calls: 3, warmUpRounds: 3, settleMs: 5_000, idleMs: 10_000, idleRounds: 3, buyers: 40 },
  },
  smoke: {
    shops: [
      { live: 4, ...small, orders: 100 },
      { live: 16, ...small },
    ],
    ...{ rounds: 1, calls: 1, warmUpRounds: 1, settleMs: 100, idleMs: 500, idleRounds: 1, buyers: 5 },
  },
} satisfies Record<Lab['size'], { shops: (ShopSize & { live: number })[]; [name: string]: unknown }>;

const MAX_GROWTH = 1.2;
const MAX_EVENT_BYTES = 4_096;
const MAX_REBUILD_S = 15;
const MAX_IDLE = { node: 0.03, redis: 0.01 };
const EVENTS_FOR_MS = 2_000;

interface Target {
  name: string;
  path: string;
  caller: Caller;
}

const page = (at: string, caller: Caller = 'anyone'): Target => ({
  name: `page \`${at}\``,
  path: at,
  caller,
});

function procedure(name: string, caller: Caller, input: object = {}): Target {
  const shown = Object.entries(input).map(([field, value]) => ` ${field}: ${value}`);
  return {
    name: `\`${name}\`${shown.join(',')}`,
    path: `/api/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`,
    caller,
  };
}

/** Every page and procedure that lists rows. */
const targets: readonly Target[] = [
  ...[page('/'), page('/merchants'), page('/wallet', 'shopper')],
  ...['/ops', '/ops/sales', '/ops/limits', '/ops/who'].map((at) => page(at, 'admin')),
  procedure('coupon.list', 'anyone'),
  procedure('coupon.byId', 'anyone', { id: 'ended-1' }),
  procedure('merchant.list', 'anyone'),
  procedure('merchant.byId', 'anyone', { id: 'merchant-1' }),
  ...['limit.mine', 'order.list', 'queue.mine'].map((name) => procedure(name, 'shopper')),
  procedure('ops.coupons', 'admin'),
  ...[{}, { status: 'held' }, { status: 'ready' }, { status: 'cancelled' }, { couponId: 'ended-1' }].map(
    (input) => procedure('ops.orders', 'admin', input),
  ),
  ...['ops.merchants', 'ops.audit', 'ops.refunds', 'limit.person.list', 'ban.list'].map((name) =>
    procedure(name, 'admin'),
  ),
];

/** One number of each shop, by round. */
type Rounds = number[][];

/** One number of each shop, the smallest first, and the last ÷ the first of the same round. */
interface Row {
  name: string;
  shops: Spread[];
  growth: Spread;
}

/** Compares shops of several sizes, each with its own node, Redis and database, in the same rounds. */
export async function growShop(lab: Lab): Promise<Finding> {
  if (!findPostgres()) {
    console.log('  no Postgres server is installed: the growth of a shop is left out');
    return { text: '', goals: [] };
  }
  await buildApp(lab.note);
  const shops = await startShops(lab);
  await after(efforts[lab.size].settleMs);
  const idle = await measureIdle(shops, lab);
  const { times, bytes } = await measureTargets(shops, lab);
  const events = await measureEvents(shops, lab);
  const rebuilds: Spread[] = [];
  for (const shop of shops) {
    lab.note(`rebuilding ${shop.live} gates`);
    rebuilds.push(spreadOf([(await shop.emptyRedis()) / 1_000]));
  }
  return {
    text: describe({ shops, idle, times, bytes, events, rebuilds }),
    goals: toGoals({ idle, times, bytes, events, rebuilds }),
  };
}

async function startShops(lab: Lab): Promise<Shop[]> {
  // As root, the server runs as a separate user, so its folder is outside the folder of the run.
  const folder = `${lab.folder}-shops`;
  await mkdir(folder, { mode: 0o755 });
  lab.onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const postgres = await startPostgresServer({ dir: path.join(folder, 'data') });
  lab.onEnd(postgres.stop);
  const shops: Shop[] = [];
  for (const size of efforts[lab.size].shops) {
    lab.note(`loading a shop with ${size.live} live coupons and ${size.orders} orders`);
    shops.push(await startShop(lab, { postgresUrl: postgres.url, size }));
  }
  return shops;
}

async function measureIdle(shops: readonly Shop[], lab: Lab): Promise<{ node: Row; redis: Row }> {
  const { idleMs, idleRounds } = efforts[lab.size];
  const shares: { node: Rounds; redis: Rounds } = { node: [], redis: [] };
  for (let round = 0; round < idleRounds; round += 1) {
    lab.note(`idle, round ${round + 1} of ${idleRounds}`);
    const before = await Promise.all(shops.map((shop) => shop.cpuUs()));
    const startedAt = performance.now();
    await after(idleMs);
    const spent = await Promise.all(shops.map((shop) => shop.cpuUs()));
    const tookUs = (performance.now() - startedAt) * 1_000;
    for (const of of ['node', 'redis'] as const)
      shares[of].push(spent.map((one, index) => (one[of] - (before[index]?.[of] ?? 0)) / tookUs));
  }
  return {
    node: toRow('an idle node, share of a core', shares.node),
    redis: toRow('its Redis, share of a core', shares.redis),
  };
}

async function measureTargets(shops: readonly Shop[], lab: Lab): Promise<{ times: Row[]; bytes: Row[] }> {
  const { rounds, calls, warmUpRounds } = efforts[lab.size];
  const taken = targets.map((target) => ({ target, ms: [] as Rounds, bytes: [] as Rounds }));
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const { path: at, caller } of targets) for (const shop of shops) await shop.warm(at, caller);
  }
  for (let round = 0; round < rounds; round += 1) {
    lab.note(`pages and lists, round ${round + 1} of ${rounds}`);
    for (const { target, ms, bytes } of taken) {
      const answers = await readInTurn(shops, target, calls);
      ms.push(answers.map((answer) => answer.ms));
      bytes.push(answers.map((answer) => answer.bytes));
    }
  }
  return {
    times: taken.map(({ target, ms }) => toRow(target.name, ms)),
    bytes: taken.map(({ target, bytes }) => toRow(target.name, bytes)),
  };
}

/** Reads a target of each shop in turn, several times, and returns the median time and the bytes for each shop. */
async function readInTurn(shops: readonly Shop[], { path: at, caller }: Target, calls: number) {
  const answers = shops.map((shop) => ({ shop, ms: [] as number[], bytes: 0 }));
  for (let call = 0; call < calls; call += 1) {
    for (const answer of answers) {
      const { ms, bytes } = await answer.shop.get(at, caller);
      answer.ms.push(ms);
      answer.bytes = bytes;
    }
  }
  return answers.map(({ ms, bytes }) => ({ ms: spreadOf(ms).median, bytes }));
}

/** Returns the bytes of the first event of a page with as many coupons in every shop, and of the longest one while shoppers buy one coupon. */
async function measureEvents(shops: readonly Shop[], lab: Lab): Promise<{ first: Row; flood: Row }> {
  const shown = Math.min(...shops.map(({ live }) => live));
  const ids = Array.from({ length: shown }, (_, index) => `live-${index + 1}`);
  const taken: { first: number; flood: number }[] = [];
  for (const shop of shops) {
    lab.note(`events with ${shop.live} coupons`);
    const { events, close } = await shop.openLive(ids);
    const [first = Number.NaN] = events;
    await Promise.all(Array.from({ length: efforts[lab.size].buyers }, () => shop.buy(LIVE_SECKILL)));
    await after(EVENTS_FOR_MS);
    close();
    taken.push({ first, flood: Math.max(...events.slice(1)) });
  }
  const row = (name: string, of: 'first' | 'flood') => toRow(name, [taken.map((one) => one[of])]);
  return {
    first: row(`the first live event of a page with ${shown} coupons, bytes`, 'first'),
    flood: row('the longest live event while one coupon is bought, bytes', 'flood'),
  };
}

function toRow(name: string, rounds: Rounds): Row {
  const [first = []] = rounds;
  const growths = rounds.map((values) => (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN));
  return {
    name,
    shops: first.map((_, shop) => spreadOf(rounds.map((values) => values[shop] ?? Number.NaN))),
    growth: spreadOf(growths),
  };
}

interface Measured {
  idle: { node: Row; redis: Row };
  times: readonly Row[];
  bytes: readonly Row[];
  events: { first: Row; flood: Row };
  /** In seconds, by shop. */
  rebuilds: readonly Spread[];
}

function toGoals({ idle, times, bytes, events, rebuilds }: Measured): Goal[] {
  const grows = ({ name, growth }: Row, what = name): Goal => ({
    what: `${what}: largest ÷ smallest shop`,
    bound: { max: MAX_GROWTH },
    reached: growth,
  });
  const worst = (rows: readonly Row[]) =>
    rows.reduce((one, other) => (other.growth.median > one.growth.median ? other : one));
  const atMost = (what: string, max: number, reached: Spread | undefined): Goal[] =>
    reached ? [{ what, bound: { max }, reached }] : [];
  const [slowest, longest] = [worst(times), worst(bytes)];
  return [
    grows(slowest, `time of the list that grows most, ${slowest.name}`),
    grows(longest, `bytes of the list that grows most, ${longest.name}`),
    ...[events.first, events.flood, idle.node, idle.redis].map((row) => grows(row)),
    ...atMost(`${events.flood.name}, largest shop`, MAX_EVENT_BYTES, events.flood.shops.at(-1)),
    ...atMost(`${idle.node.name}, largest shop`, MAX_IDLE.node, idle.node.shops.at(-1)),
    ...atMost(`${idle.redis.name}, largest shop`, MAX_IDLE.redis, idle.redis.shops.at(-1)),
    ...atMost('time to sell again after an emptied Redis, largest shop, s', MAX_REBUILD_S, rebuilds.at(-1)),
  ];
}

function describe({
  shops,
  idle,
  times,
  bytes,
  events,
  rebuilds,
}: Measured & { shops: readonly Shop[] }): string {
  const medians = (spreads: readonly Spread[]) => spreads.map((spread) => digits(spread.median));
  const lives = shops.map(({ live }) => digits(live).replace('.00', '').replace('.0', ''));
  return `${table(
    [
      'page or procedure',
      ...lives.map((live) => `ms, ${live} live`),
      'largest ÷ smallest',
      'kB',
      'largest ÷ smallest',
    ],
    times.map(({ name, shops: ms, growth }, index) => {
      const { shops: sizes = [], growth: longer } = bytes[index] ?? {};
      const kilobytes = (sizes.at(-1)?.median ?? Number.NaN) / 1_000;
      return [
        name,
        ...medians(ms),
        withSpread(growth),
        digits(kilobytes),
        digits(longer?.median ?? Number.NaN),
      ];
    }),
  )}

${table(
  ['', ...lives.map((live) => `${live} live`), 'largest ÷ smallest'],
  [
    ...[events.first, events.flood, idle.node, idle.redis].map((row) => [
      row.name,
      ...medians(row.shops),
      withSpread(row.growth),
    ]),
    ['time to sell again after an emptied Redis, s', ...medians(rebuilds), ''],
  ],
)}`;
}
