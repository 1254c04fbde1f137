import { Cluster } from 'ioredis';
import { awaitReply, type Experiment } from '../../experiments/experiment';
import { clockOrigin } from '../../experiments/experiment-limiter';
import { mapInChunks, settleAll } from '../../experiments/map-in-chunks';
import type { RedisClient } from '../../redis/client';
import { type DecidedCall, summarizeDecisions } from '../decided-call';
import { type KeySnapshot, readKeySnapshots } from '../key-snapshots';
import { createCountedSend, NAIVE_TTL_MS, type Send } from '../naive-log';
import type { Card, CardCall, Measured, NaiveTools } from './card';

/** The result of one run. */
export interface CardRun {
  measured: Measured;
  roundTrips: number;
  keys: KeySnapshot[];
}

/** Runs the load of a card through its faulty limiter. */
export async function runNaive(experiment: Experiment, card: Card): Promise<CardRun> {
  const { calls, windowMs, inOrder } = card;
  const listNewKeys = experiment.trackNewKeys();
  const { decide, roundTrips, expires } = createNaiveLimiter(experiment, card);
  const decisions: DecidedCall[] = [];
  if (!inOrder) decisions.push(...(await mapInChunks(calls, decide, experiment)));
  for (const [index, call] of inOrder ? calls.entries() : []) {
    experiment.signal.throwIfAborted();
    decisions.push(await decide(call, index));
  }
  const keys = await readKeySnapshots(experiment, listNewKeys(), { origin: clockOrigin(windowMs) });
  const forEver = keys.filter(({ key: name }) => !expires(name));
  return {
    measured: {
      ...summarizeDecisions(decisions, windowMs),
      ...{ calls, keyNames: listNewKeys(), keysLeft: keys.length, keysForEver: forEver.length },
    },
    roundTrips: roundTrips(),
    keys,
  };
}

/** Creates the faulty limiter of a card. Its keys expire on the experiment's clock. */
export function createNaiveLimiter(
  experiment: Experiment,
  card: Pick<Card, 'windowMs' | 'naive' | 'isStoreDown'>,
) {
  const { windowMs, naive, isStoreDown = false } = card;
  const origin = clockOrigin(windowMs);
  const client = selectClient(experiment, card);
  const expiresAt = new Map<string, number>();
  let roundTrips = 0;

  async function decide(call: CardCall, index: number): Promise<DecidedCall> {
    const now = origin + call.at;
    const expired = [...expiresAt].flatMap(([name, at]) => (at <= now ? [name] : []));
    for (const name of expired) expiresAt.delete(name);
    if (expired.length > 0) await awaitReply(client.unlink(...expired));
    const counted = createCountedSend();
    const expire = (name: string, ms: number) => void expiresAt.set(name, now + ms);
    const tools = createTools(experiment, { client, send: counted, expire, isStoreDown });
    const answer = await naive({ ...call, now, index }, tools);
    roundTrips = Math.max(roundTrips, counted.roundTrips());
    const decision = typeof answer === 'boolean' ? { allowed: answer } : answer;
    return { at: call.at, remaining: 0, retryAfterMs: 0, delayMs: 0, ...decision };
  }

  return {
    decide,
    /** Returns the maximum of one call. */
    roundTrips: () => roundTrips,
    /** True if a key has an expiry that it has not reached. */
    expires: (name: string) => expiresAt.has(name),
  };
}

interface ToolsOptions extends Pick<NaiveTools, 'client' | 'expire'> {
  send: Send;
  isStoreDown: boolean;
}

/** Creates the tools of one call. Each command is followed by an expiry of its keys, in case the connection breaks. */
function createTools(
  { key, scatteredKey }: Experiment,
  { client, send: counted, expire, isStoreDown }: ToolsOptions,
): NaiveTools {
  const names = new Set<string>();
  const track = (name: string) => {
    names.add(name);
    return name;
  };

  async function send<Reply>(reply: Promise<Reply>): Promise<Reply> {
    const expiries = isStoreDown ? [] : [...names].map((name) => client.pexpire(name, NAIVE_TTL_MS));
    await settleAll<unknown>([counted(reply), awaitReply(Promise.all(expiries))]);
    return reply;
  }

  return {
    client,
    key: (name) => track(key(name)),
    scatteredKey: (name) => track(scatteredKey(name)),
    send,
    expire,
    async countCall(name, ms) {
      const count = await send(client.incr(name));
      if (count === 1) expire(name, ms);
      return count;
    },
    async script(lua, keys, args) {
      const reply: unknown = await send(client.eval(lua, keys.length, ...keys, ...args));
      return [reply].flat().map(Number);
    },
  };
}

/** Returns the connection of a run. For a store that is down it is a closed one, on which each command fails at once. */
export function selectClient(
  { clients: [client] }: Experiment,
  { isStoreDown }: Pick<Card, 'isStoreDown'>,
): RedisClient {
  if (!isStoreDown) return client;
  const closed = client instanceof Cluster ? client.duplicate() : client.duplicate();
  closed.disconnect();
  return closed;
}
