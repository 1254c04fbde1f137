import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someStart } from '../../../test/limiter-arrivals';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import { decideScript } from '../decide/codec';
import { ioredisStore } from '../stores/ioredis-store';
import { memoryStore } from '../stores/memory-store';
import type { Store, StoreScript } from '../stores/store';
import { decodeServe } from './queue-codec';
import { joinScript } from './queue-join';

const [serveScript, mineScript, voidScript] = (['serve', 'mine', 'void'] as const).map(
  (name): StoreScript => ({
    command: `memoryQueue${name}`,
    file: `limiter/queue-${name}.lua`,
    numberOfKeys: 'variable',
  }),
) as [StoreScript, StoreScript, StoreScript];

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
  mode: fc.constantFrom('enforce', 'enforce', 'enforce', 'shadow'),
  /** Of some calls only: pauses a group, recovers turns, closes the queue. */
  isRare: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
  payload: fc.constantFrom('', 'of\ntwo lines'),
  share: fc.constantFrom('', 'here', 'here', 'there'),
  /** The most tickets of a caller and of a share; 0 is no maximum. */
  maxima: fc.tuple(fc.nat(2), fc.nat(2)),
});
type Step = typeof someStep extends fc.Arbitrary<infer One> ? One : never;

/** Plays a case on a store. Returns the replies of all script calls. */
async function play(store: Store, prefix: string, { start, steps }: { start: number; steps: Step[] }) {
  const replies: unknown[] = [];
  const parts = ['', ':groups', ':tickets', ':served', ':ended-0', ':ended-1', ':state', ':callers'];
  const queueKeys = [`${prefix}{q}:all`, ...parts.map((part) => `${prefix}{q}:queue${part}`)];
  let clock = start;
  let numbers = [2, 100];
  let mode = 'enforce';
  let turns: { id: string; sequence: string }[] = [];
  const tickets: string[] = [];

  const run = async (script: StoreScript, keys: string[], args: (string | number)[]) => {
    const reply = await store.run(script, keys, args);
    replies.push(comparable(reply));
    return reply;
  };

  function decideCall({ owner, request }: Step) {
    const own = 'sliding-log 3 500 10 enforce 0 0 0';
    const requestKey = `${prefix}{q}#${owner}-${request}`;
    return {
      keys: [`${prefix}{q}:user:${owner}`, `${prefix}{q}:all`, `${prefix}{q}:queue`, requestKey],
      args: [
        `1 0 ${REQUEST_TTL_MS} ${own} queued-log ${numbers.join(' ')} 10 ${mode} 0 0 0`,
        `1 ${clock}`,
        1 + request,
      ],
      ownKeys: [`${prefix}{q}:user:${owner}`],
      ownArgs: [`1 0 0 ${own}`, `1 ${clock}`],
    };
  }

  /** Sends one to three joins of different callers in one script call. */
  async function join(step: Step): Promise<void> {
    const { group, node, payload, share, maxima, isRare, most } = step;
    const joins = Array.from({ length: most }, (_, index) => {
      const owner = (step.owner + index) % OWNERS;
      const { keys, args, ownKeys, ownArgs } = decideCall({ ...step, owner });
      const own = [`owner-${owner}`, GROUPS[group] ?? '', share, `${owner}-${step.request}`];
      const id = [1 + step.request, payload];
      return { keys: [...keys, ...ownKeys], args: [...own, ...id, ...args, ...ownArgs] };
    });
    const head = [...numbers, 4, isRare ? 300 : 60_000, ...maxima, NODES[node] ?? ''].join(' ');
    const reply = await run(
      joinScript,
      [...queueKeys, ...joins.flatMap(({ keys }) => keys)],
      isRare
        ? joins.flatMap(({ args }) => [head, `1 ${clock}`, ...args])
        : [head, `${most} ${clock}`, ...joins.flatMap(({ args }) => args)],
    );
    for (const joined of Array.isArray(reply) ? reply : []) {
      if (joined[0] === 'decided' || joined[0] === 'conflict') continue;
      const text = String(joined[3]).replace(/^\d+\n(?:one|other)\n/, '');
      tickets.push(`${joined[2]}.${text.split('\n')[0]}`);
    }
  }

  async function serve({ node, most, group, isRare }: Step): Promise<void> {
    const paused = isRare ? [GROUPS[group] ?? ''] : [];
    const ended = turns.flatMap(({ id, sequence }, index) =>
      index % 3 === 2 ? [] : [id, sequence, index % 3 === 0 ? 'served' : 'void', 'done'],
    );
    const reply = await run(
      serveScript,
      [...queueKeys, `${prefix}{q}#`],
      [
        ...[clock, ...numbers, mode === 'enforce' ? 1 : 0, NODES[node] ?? '', LEASE_MS, most],
        ...[REQUEST_TTL_MS, isRare ? 1 : 0, paused.length, ...paused, ...ended],
      ],
    );
    turns = decodeServe(reply).turns.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  for (const step of steps) {
    clock += step.ms;
    const owner = `owner-${step.owner}`;
    const ticket = tickets[step.most * step.limit] ?? tickets.at(-1) ?? 'none';
    const head = [clock, ...numbers];
    if (step.kind === 'decide') {
      const { keys, args } = decideCall(step);
      await run(decideScript, keys, args);
    } else if (step.kind === 'join') await join(step);
    else if (step.kind === 'serve') await serve(step);
    else if (step.kind === 'mine')
      await run(mineScript, queueKeys, [...head, owner, GROUPS.length, ...GROUPS, ticket]);
    else if (step.kind === 'leave')
      await run(voidScript, queueKeys, [clock, 'ticket', owner, ticket, 'left', '']);
    else if (step.kind === 'void') {
      const kind = step.isRare ? 'close' : (['group', 'owner', 'open'][step.most - 1] ?? '');
      const subject = kind === 'group' ? (GROUPS[step.group] ?? '') : kind === 'owner' ? owner : '';
      await run(voidScript, queueKeys, [clock, kind, subject, '', 'sold-out', '']);
    } else {
      numbers = [step.limit, step.windowMs];
      mode = step.mode;
    }
  }
  const owners = Array.from({ length: OWNERS }, (_, owner) => `owner-${owner}`);
  for (const owner of owners) {
    await run(mineScript, queueKeys, [clock, ...numbers, owner, GROUPS.length, ...GROUPS, ...tickets]);
  }
  return replies;
}

/** Redis replies some numbers as text, and recovers turns in any order. */
function comparable(reply: unknown): unknown {
  if (!Array.isArray(reply)) return String(reply);
  const fields = reply.map(comparable);
  const isServe =
    fields.length % 3 === 0 &&
    fields.slice(7).every((field, at) => at % 3 > 0 || /^[01]$/.test(String(field)));
  if (!isServe || fields.length < 9) return fields;
  const turns = Array.from({ length: (fields.length - 6) / 3 }, (_, at) =>
    fields.slice(6 + 3 * at, 9 + 3 * at),
  );
  const recovered = turns.filter(([, again]) => again === '1');
  return [...fields.slice(0, 6), ...recovered.sort(), ...turns.filter(([, again]) => again === '0')];
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
