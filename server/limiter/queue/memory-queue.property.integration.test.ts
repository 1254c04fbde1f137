import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someStart } from '../../../test/limiter-arrivals';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { testArgs, testKeys, testLevel } from '../../../test/store-commands';
import type { RedisClient } from '../../redis/client';
import type { Mode } from '../policy/policy';
import { ioredisStore } from '../stores/ioredis-store';
import { memoryStore } from '../stores/memory-store';
import type { EndedTurn, Store, StoreCommand, StoreKeys, TimedCommand, VoidCommand } from '../stores/store';
import type { ServedTurn } from '../stores/ticket';

const OWNERS = 6;
const GROUPS = ['tea', 'cake', 'rice'];
const NODES = ['one', 'other'];
const LEASE_MS = 300;
const REQUEST_TTL_MS = 1_000_000;

const someMs = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 0, 1, 20, 90, 250) },
  { weight: 1, arbitrary: fc.integer({ min: -60, max: 2_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(3_500_000, 7_300_000) },
);
const someStep = fc.record({
  kind: fc.constantFrom(
    ...['decide', 'join', 'join', 'join', 'serve', 'serve', 'mine', 'leave', 'void', 'numbers'],
  ),
  ms: someMs,
  owner: fc.nat(OWNERS - 1),
  group: fc.nat(2),
  request: fc.nat(2),
  node: fc.nat(1),
  most: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: 4 }),
  windowMs: fc.integer({ min: 1, max: 400 }),
  mode: fc.constantFrom<Mode[]>('enforce', 'enforce', 'enforce', 'shadow'),
  /** Of some calls only: pauses a group, recovers turns, closes the queue. */
  isRare: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
  payload: fc.constantFrom('', 'of\ntwo lines'),
  share: fc.constantFrom('', 'here', 'here', 'there'),
  /** The most tickets of a caller and of a share; 0 is no maximum. */
  maxima: fc.tuple(fc.nat(2), fc.nat(2)),
});
type Step = typeof someStep extends fc.Arbitrary<infer One> ? One : never;

/** Plays a case on a store. Returns the replies of all calls. */
async function play(store: Store, prefix: string, { start, steps }: { start: number; steps: Step[] }) {
  const replies: unknown[] = [];
  let clock = start;
  let numbers = { limit: 2, windowMs: 100 };
  let mode: Step['mode'] = 'enforce';
  let ended: EndedTurn[] = [];
  const tickets: string[] = [];
  const keysOf = (owner: number): StoreKeys =>
    testKeys(`${prefix}{q}`, (index) => `${prefix}{q}:${index === 0 ? `user:${owner}` : 'all'}`);
  const queue = () => ({ keys: keysOf(0), level: 1, ...numbers });
  const timed = <Command>(command: Command): TimedCommand<Command> => ({ command, clock });

  /** Returns the call of a step on all levels, or on the caller's own ones. */
  function callOf({ owner, request }: Pick<Step, 'owner' | 'request'>, isOwn: boolean): StoreCommand {
    const own = testLevel('sliding-log', { limit: 3, windowMs: 500 });
    const all = { ...testLevel('sliding-log', numbers), queue: {}, mode };
    const key = `${prefix}{q}#${owner}-${request}`;
    return {
      policyArgs: isOwn ? testArgs([own]) : testArgs([own, all], { requestTtlMs: REQUEST_TTL_MS }),
      keys: keysOf(owner),
      cost: 1,
      ...(!isOwn && { request: { key, input: 1 + request } }),
    };
  }

  /** Sends one to three joins of different callers in one batch. */
  async function join(step: Step): Promise<void> {
    const { group, node, payload, share, maxima, isRare, most, request } = step;
    const [maxOfCaller, maxOfShare] = maxima;
    const bounds = { maxLength: 4, maxWaitMs: isRare ? 300 : 60_000, maxOfCaller, maxOfShare };
    const head = { ...queue(), ...bounds, node: NODES[node] ?? '' };
    const joins = Array.from({ length: most }, (_, index) => {
      const owner = (step.owner + index) % OWNERS;
      const [all, own] = [callOf({ owner, request }, false), callOf({ owner, request }, true)];
      const caller = { owner: `owner-${owner}`, group: GROUPS[group] ?? '', share };
      return timed({ queue: head, all, own, ...caller, request: `${owner}-${request}`, payload });
    });
    const joined = await store.queue.join(joins);
    replies.push(joined);
    for (const one of joined) if ('kind' in one && one.kind === 'ticket') tickets.push(one.ticket.ticketId);
  }

  async function serve({ node, most, group, isRare }: Step): Promise<void> {
    const command = {
      ...{ ...queue(), isEnforced: mode === 'enforce', node: NODES[node] ?? '', leaseMs: LEASE_MS },
      ...{ maxServed: most, requestTtlMs: REQUEST_TTL_MS, requestStart: `${prefix}{q}#`, recovers: isRare },
      ...{ pausedGroups: isRare ? [GROUPS[group] ?? ''] : [], ended },
    };
    const reply = await store.queue.serve(command, clock);
    // Redis recovers turns in any order.
    const turns = reply.turns.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
    replies.push({
      ...reply,
      turns: [...turns.filter(({ again }) => again), ...reply.turns.filter(({ again }) => !again)],
    });
    ended = turns.flatMap(({ id, sequence }, index) =>
      index % 3 === 2 ? [] : [{ id, sequence, state: index % 3 === 0 ? 'served' : 'void', detail: 'done' }],
    );
  }

  const mine = async (owner: string, ticketIds: string[]) => {
    for (const groups of [GROUPS, 'all' as const])
      replies.push(await store.queue.mine({ ...queue(), owner, groups, ticketIds }, clock));
  };
  const end = async (command: Partial<VoidCommand> & Pick<VoidCommand, 'kind'>) => {
    const none = { target: '', ticketId: '', reason: 'sold-out', after: '' };
    replies.push(await store.queue.void({ keys: keysOf(0), level: 1, ...none, ...command }, clock));
  };

  for (const step of steps) {
    clock += step.ms;
    const owner = `owner-${step.owner}`;
    const ticketId = tickets[step.most * step.limit] ?? tickets.at(-1) ?? 'none';
    if (step.kind === 'decide') replies.push(await store.decide([timed(callOf(step, false))]));
    else if (step.kind === 'join') await join(step);
    else if (step.kind === 'serve') await serve(step);
    else if (step.kind === 'mine') await mine(owner, [ticketId]);
    else if (step.kind === 'leave') await end({ kind: 'ticket', target: owner, ticketId, reason: 'left' });
    else if (step.kind === 'void') {
      const kind = step.isRare ? 'close' : ((['group', 'owner', 'open'] as const)[step.most - 1] ?? 'open');
      const target = kind === 'group' ? (GROUPS[step.group] ?? '') : kind === 'owner' ? owner : '';
      await end({ kind, target });
    } else {
      numbers = { limit: step.limit, windowMs: step.windowMs };
      ({ mode } = step);
    }
  }
  for (let owner = 0; owner < OWNERS; owner += 1) await mine(`owner-${owner}`, tickets);
  return withoutGroupHashes(replies);
}

/** Returns the same order of turns in every store, whatever the ids of tickets are. */
function orderOf({ payload, sequence, group }: ServedTurn): string {
  return `${sequence} ${group} ${payload}`;
}

/** The id of a ticket is the caller's part and the group, of which Redis has a hash. */
function withoutGroupHashes(replies: unknown): unknown {
  return JSON.parse(JSON.stringify(replies).replace(/"(owner-\d)[^"]*?(\.\d+)?"/g, '"$1$2"'));
}

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

test('random joins, turns, leaves, voids, takeovers and changed limits get the replies of Redis', async () => {
  const steps = fc.array(someStep, { minLength: 1, maxLength: 40, size: 'max' });
  await fc.assert(
    fc.asyncProperty(someStart, steps, async (start, drawn) => {
      const prefix = freshPrefix();
      const one = { start, steps: drawn };
      const expected = await play(ioredisStore(redis), prefix, one);
      expect(await play(memoryStore(), prefix, one)).toEqual(expected);
    }),
    propertyRuns(2_000),
  );
}, 600_000);
