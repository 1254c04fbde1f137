import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { insertCoupon } from '../../test/coupons';
import { type Drill, type Scene, shortSize } from '../drill';
import { type FloodReport, startFlood } from '../flood';
import { createNodeClient } from '../node-clients';
import { untilOpen } from '../until-open';

const FLOOD_MS = 8_000;
const SHOPPERS = 40;
/** A reply may say `reserved`. Within this time the order must be `confirmed`. */
const CONFIRMED_WITHIN_MS = 2_000;
const READYZ_EVERY_MS = 250;
const BATCH = 10;
const FLOODER = '203.0.113.9';
/** The rate of a flood as a multiple of what the node serves to many addresses, so that it proves the same on any machine. */
const FLOOD_FACTOR = 2;
const MEASURE_MS = 3_000;
/** GETs at a time that keep the node busy while its rate is measured. */
const MEASURE_CONCURRENCY = 16;

/** Sends reads that need no account from one address, at twice the rate that the node serves to many. */
export const readFloods: Drill = {
  name: 'read-floods',
  description:
    'GETs of ten `coupon.byId` each from one address for 8 s, then of ten `limit.mine` each, at twice the rate that the node serves to many addresses',
  store: { kind: 'single', appendonly: true, proxied: false },
  ledgers: ['postgres', 'pglite'],
  // PGlite, its node, the flood and 2,000 shoppers would need more than the two cores of a small machine.
  sizeOn: (ledger) => (ledger === 'pglite' ? shortSize : undefined),
  keepsReadLimit: true,
  nodeEnv: () => ({ TRUSTED_PROXIES: '127.0.0.1/32' }),
  async inject(scene) {
    const url = scene.topology.nodes[0]?.url ?? '';
    const claimId = await insertCoupon(scene.topology.database.db, { kind: 'claim', priceCents: 0 });
    await untilOpen([url], claimId);
    const floods = [
      { procedure: 'coupon.byId', input: { id: scene.couponId } },
      { procedure: 'limit.mine', input: undefined },
    ];
    for (const { procedure, input } of floods) {
      const batch = batchUrl(url, procedure, input);
      const served = await measureServed(batch);
      const perSecond = FLOOD_FACTOR * served;
      scene.note(`${procedure}: the node serves ${served} GET/s; the flood sends ${perSecond} GET/s`);
      const flood = await startFlood({ url: batch, perSecond, address: FLOODER });
      const seen = Promise.all([
        buyAll(scene, { url, couponId: claimId, crowd: procedure }),
        watchReadyz(url),
      ]);
      await Promise.allSettled([seen]);
      const sent = await flood.stop();
      const [bought, readyz] = await seen;
      report(scene, { procedure, sent, bought, readyz });
    }
  },
};

/** Returns the GETs per second that the node answers with 200 if no address sends more than one. */
async function measureServed(url: string): Promise<number> {
  const startedAt = performance.now();
  let sent = 0;
  let served = 0;
  async function readUntilEnd(): Promise<void> {
    while (performance.now() - startedAt < MEASURE_MS) {
      const address = `198.18.${(sent >> 8) & 255}.${sent & 255}`;
      sent += 1;
      const answer = await fetch(url, { headers: { 'x-forwarded-for': address } });
      await answer.arrayBuffer();
      if (answer.status === 200) served += 1;
    }
  }
  await Promise.all(Array.from({ length: MEASURE_CONCURRENCY }, readUntilEnd));
  return Math.ceil((served * 1_000) / (performance.now() - startedAt));
}

function batchUrl(url: string, procedure: string, input: object | undefined): string {
  const paths = Array(BATCH).fill(procedure).join(',');
  const inputs = Object.fromEntries(Array.from({ length: BATCH }, (_, index) => [index, input]));
  return `${url}/api/trpc/${paths}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
}

/** Sends shoppers who claim one coupon each, spread over the flood. Counts their final answers. */
async function buyAll(
  { cookieOf }: Scene,
  { url, couponId, crowd }: { url: string; couponId: string; crowd: string },
): Promise<Map<string, number>> {
  const { calls } = createNodeClient(url);
  const results = await Promise.all(
    Array.from({ length: SHOPPERS }, async (_, index) => {
      await sleep((index * FLOOD_MS) / SHOPPERS);
      const context = { cookie: cookieOf(`${crowd}-${index}`) };
      const requestId = randomUUID();
      try {
        const reply = await calls.coupon.claim.mutate({ couponId, requestId }, { context });
        if (!('order' in reply)) return reply.outcome;
        if (reply.order.status === 'confirmed') return 'confirmed';
        await sleep(CONFIRMED_WITHIN_MS);
        const { order } = await calls.order.byId.query({ id: reply.order.id }, { context });
        return order.status === 'confirmed' ? 'confirmed late' : order.status;
      } catch (error) {
        if (error instanceof TRPCClientError) return error.message;
        throw error;
      }
    }),
  );
  return countEach(results);
}

async function watchReadyz(url: string): Promise<Map<string, number>> {
  const statuses: string[] = [];
  const until = performance.now() + FLOOD_MS;
  while (performance.now() < until) {
    const [status] = await Promise.all([readyz(url), sleep(READYZ_EVERY_MS)]);
    statuses.push(status);
  }
  return countEach(statuses);
}

async function readyz(url: string): Promise<string> {
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return String(status);
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

interface Seen {
  procedure: string;
  sent: FloodReport;
  bought: Map<string, number>;
  readyz: Map<string, number>;
}

function report({ note, reportProblem }: Scene, { procedure, sent, bought, readyz }: Seen): void {
  const list = (counts: Map<string, number>) => [...counts].map(([word, n]) => `${n} × ${word}`).join(', ');
  note(
    `${procedure}: shoppers ${list(bought)}; /readyz ${list(readyz)}; flood ${list(new Map(Object.entries(sent.answers)))}`,
  );
  const confirmed = (bought.get('confirmed') ?? 0) + (bought.get('confirmed late') ?? 0);
  if (confirmed < SHOPPERS)
    reportProblem(`${procedure}: ${SHOPPERS - confirmed} of ${SHOPPERS} shoppers were not confirmed`);
  if ([...readyz.keys()].some((status) => status !== '200'))
    reportProblem(`${procedure}: /readyz was ${list(readyz)}`);
  if (sent.unsent > 0) reportProblem(`${procedure}: ${sent.unsent} GETs of the flood were not sent`);
}
