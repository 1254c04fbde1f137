import { awaitReply, type Experiment } from '../../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../../experiments/experiment-limiter';
import { mapInChunks } from '../../experiments/map-in-chunks';
import { hashTagOf, StoreUnavailableError } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import { summarizeDecisions, toDecidedCall } from '../decided-call';
import { readKeySnapshots } from '../key-snapshots';
import { NAIVE_TTL_MS } from '../naive-log';
import type { KeySlot, Mistake, MistakeSide } from './mistake';

const limit = 5;
const userLimit = 3;
const windowMs = 10_000;
/** Two users who call alternately. */
const calls = Array.from({ length: 8 }, (_, index) => ({ at: index * 100, user: `user-${(index % 2) + 1}` }));

/** Runs a script on the keys of two levels. A cluster needs a common hash tag to keep them in one slot. */
export async function crossSlot(experiment: Experiment): Promise<Mistake> {
  const { naive, naiveError } = await runNaiveSide(experiment);
  const naiveKeys = slotsOf(experiment.keys());
  const productKeys = experiment.trackNewKeys();
  const product = await runProductSide(experiment);
  return {
    mistake: 'cross-slot',
    limit,
    windowMs,
    isCluster: experiment.clients[0].isCluster,
    naiveKeys,
    productKeys: slotsOf(productKeys()),
    naiveError,
    naive,
    product,
  };
}

async function runNaiveSide(
  experiment: Experiment,
): Promise<{ naive: MistakeSide; naiveError: string | null }> {
  const [client] = experiment.clients;
  const decide = defineScript(client, {
    command: 'floodgateLabTwoCounters',
    file: 'lab/two-counters.lua',
    numberOfKeys: 2,
  });
  const everybody = experiment.scatteredKey('everybody');
  const decisions = [];
  let naiveError: string | null = null;
  for (const { at, user } of calls) {
    const keys = [experiment.scatteredKey(user), everybody];
    const reply = await awaitReply(decide(keys, [userLimit, limit, NAIVE_TTL_MS])).catch(crossSlotMessage);
    if (typeof reply === 'string') {
      naiveError = reply;
      break;
    }
    const [admitted, used] = Array.isArray(reply) ? reply : [];
    const remaining = Math.max(0, limit - Number(used));
    decisions.push({ at, allowed: admitted === 1, remaining, retryAfterMs: 0, delayMs: 0 });
  }
  const naive = {
    ...summarizeDecisions(decisions, windowMs),
    roundTrips: 1,
    keys: await readKeySnapshots(experiment, experiment.keys(), { origin: clockOrigin(windowMs) }),
  };
  return { naive, naiveError };
}

/** Returns the CROSSSLOT message of Redis. Rethrows every other error. */
function crossSlotMessage(error: unknown): string {
  const cause = error instanceof StoreUnavailableError ? error.cause : undefined;
  if (cause instanceof Error && cause.message.startsWith('CROSSSLOT')) return cause.message;
  throw error;
}

async function runProductSide(experiment: Experiment): Promise<MistakeSide> {
  const listNewKeys = experiment.trackNewKeys();
  const origin = clockOrigin(windowMs);
  const limiter = experiment.limiter();
  const policy = experimentPolicy('product', [
    { level: 'user', limit: userLimit, windowMs },
    { level: 'global', limit, windowMs },
  ]);
  const decisions = await mapInChunks(
    calls,
    async ({ at, user }) => toDecidedCall(at, await limiter.decideAt(origin + at, policy, { user })),
    experiment,
  );
  return {
    ...summarizeDecisions(decisions, windowMs),
    roundTrips: limiter.roundTrips() / calls.length,
    keys: await readKeySnapshots(experiment, listNewKeys(), { origin, packedBy: 'sliding-log' }),
  };
}

function slotsOf(keys: readonly string[]): KeySlot[] {
  return keys.map((key) => ({ key, slot: keySlot(key) }));
}

const SLOT_COUNT = 16_384;

/**
 * Returns the hash slot of a key in Redis Cluster: CRC-16/XMODEM of its hash tag, or of the whole key, modulo 16384 (Redis
 * Cluster specification, "Key distribution model"). Example: `foo` and `a{foo}b` are in slot 12182.
 */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTagOf(key))) % SLOT_COUNT;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
