import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { eventually } from '../../../test/until';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import type { Store } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Turn, TurnResult } from '../stores/ticket';
import { createQueues } from './queues';

let store: Store;
const START = 1_795_226_301_987;

interface SaleOptions {
  limit?: number;
  windowMs?: number;
  maxLength?: number;
  maxWaitMs?: number;
  /** Default: a clock that only `pass` moves. */
  isRealTime?: boolean;
  /** Returns the store of the sale. */
  onStore?: (store: Store) => Store;
}

/** Changes a store, and those that a connected store makes for its limiters. */
function onEach(one: Store, change: (store: Store) => Store): Store {
  const { forLimiter } = one;
  return { ...change(one), ...(forLimiter && { forLimiter: (user) => change(forLimiter(user)) }) };
}

/** Two nodes that sell through one window with a queue. */
function startSale({
  limit = 2,
  windowMs = 10_000,
  maxLength = 100,
  maxWaitMs = 600_000,
  isRealTime = false,
  onStore = (one) => one,
}: SaleOptions = {}) {
  let now = START;
  const prefix = freshPrefix();
  const clock = isRealTime ? {} : { clock: () => now };
  const createNode = () =>
    createLimiter({
      store: onEach(store, onStore),
      secret: 'a secret of at least 32 characters',
      prefix,
      timeoutMs: 5_000,
      queues: createQueues,
      ...clock,
    });
  const nodes = [createNode(), createNode()] as const;
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        { level: 'user', limit: 3, windowMs: 60_000 },
        { level: 'global', limit, windowMs, queue: { maxLength, maxWaitMs } },
      ],
      requestId: () => 'id',
      message: { en: 'Many shoppers are here.' },
    },
    'sale',
  );
  const queue = nodes[0].queue(policy);
  return {
    ...{ nodes, policy, prefix, queue, createNode },
    other: nodes[1].queue(policy),
    pass(ms: number) {
      now += ms;
    },
    now: () => now,
    subjects: (user: string) => ({ user }),
    buy: (user: string, requestId = `${user}-direct`, node = nodes[0]) =>
      node.decide(policy, { subjects: { user }, requestId }),
    async join(user: string, { group = 'tea', requestId = user, from = queue } = {}) {
      return from.join({ subjects: { user }, group, requestId, payload: `of ${user}` });
    },
    async ticket(user: string, group = 'tea', from = queue) {
      const { tickets } = await from.mine({ subjects: { user }, groups: [group] });
      return tickets[0];
    },
  };
}

/** Joins, and returns the waiting ticket. */
async function waitIn(
  sale: ReturnType<typeof startSale>,
  user: string,
  options?: { group?: string; requestId?: string },
) {
  const joined = await sale.join(user, options);
  if (!joined.queued || joined.ticket.state !== 'waiting') throw new Error(`${user} does not wait`);
  return joined.ticket;
}

/** Serves until the tickets of these users have ended, and returns all turns. */
async function serveUntil(sale: ReturnType<typeof startSale>, count: number, from = sale.queue) {
  const turns: Turn[] = [];
  const errors: unknown[] = [];
  const server = from.serve({
    async onTurn(turn) {
      turns.push(turn);
      return { outcome: 'accepted' };
    },
    onError: (error) => errors.push(error),
  });
  await eventually(() => turns.length >= count, `${count} turns`);
  await server.stop();
  expect(errors).toEqual([]);
  return turns;
}

/** Counts the decisions and queue calls of a store. */
function countCalls(store: Store, calls: { count: number }): Store {
  const count =
    <Args extends unknown[], Reply>(send: (...args: Args) => Reply) =>
    (...args: Args) => {
      calls.count += 1;
      return send(...args);
    };
  const { join, serve, mine, void: end } = store.queue;
  const queue = { join: count(join), serve: count(serve), mine: count(mine), void: count(end) };
  return { ...store, decide: count(store.decide), queue };
}

describe.each(limiterStores)('on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());

  test('a full window queues a call that may wait, with its position and the bound of its turn', async () => {
    const sale = startSale();
    expect(await sale.join('ada')).toMatchObject({ queued: false, decision: { allowed: true } });
    sale.pass(1_000);
    await sale.buy('bob');
    expect(await sale.join('cem')).toMatchObject({
      queued: true,
      ticket: {
        state: 'waiting',
        position: 1,
        ahead: 0,
        group: 'tea',
        payload: 'of cem',
        turnAt: START + 10_050,
      },
    });
    expect(await waitIn(sale, 'dan', { group: 'rice' })).toMatchObject({
      position: 2,
      ahead: 0,
      turnAt: START + 11_050,
    });
    // One window and 50 ms after the first ticket.
    expect(await waitIn(sale, 'eve')).toMatchObject({ position: 3, ahead: 1, turnAt: START + 20_100 });
    expect(await sale.queue.state()).toMatchObject({
      waiting: 3,
      nextTurnAt: START + 10_050,
      lastTurnAt: START + 20_100,
    });
  });

  test('joins made together are few script calls, and keep their order', async () => {
    const calls = { count: 0 };
    const sale = startSale({ onStore: (one) => countCalls(one, calls) });
    const users = Array.from({ length: 25 }, (_, index) => `user-${index}`);
    const joined = await Promise.all(users.map((user) => sale.join(user)));
    expect(
      joined.map((one) => (one.queued && one.ticket.state === 'waiting' ? one.ticket.position : 0)),
    ).toEqual(users.map((_, index) => Math.max(0, index - 1)));
    expect(calls.count).toBe(3);
  });

  test('joining charges the own levels, not the queue’s, and does not charge the request id', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    const { windows } = await sale.nodes[0].peek(sale.policy, { user: 'bob' });
    expect(windows.map(({ used }) => used)).toEqual([1, 1]);
    expect(await sale.buy('bob', 'bob')).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });
  });

  test('a join again with the same request id charges nothing; with another it charges the own levels', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    const ticket = await waitIn(sale, 'bob');
    const used = async () => {
      const { windows } = await sale.nodes[0].peek(sale.policy, { user: 'bob' });
      return windows[0]?.used;
    };
    expect(await waitIn(sale, 'bob')).toEqual(ticket);
    const onOtherNode = await sale.join('bob', { from: sale.other });
    expect(onOtherNode).toMatchObject({ queued: true, ticket: { ticketId: ticket.ticketId } });
    expect(await used()).toBe(1);
    expect(await waitIn(sale, 'bob', { requestId: 'second' })).toEqual(ticket);
    expect(await used()).toBe(2);
    await waitIn(sale, 'bob', { requestId: 'third' });
    expect(await sale.join('bob', { requestId: 'fourth' })).toMatchObject({
      queued: false,
      decision: { allowed: false, refusedBy: { level: 'user' } },
    });
  });

  test('no call overtakes a waiting ticket, also when a place is free', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    const { ticketId } = await waitIn(sale, 'bob');
    sale.pass(10_000);
    expect(await sale.buy('cem', 'cem', sale.nodes[1])).toMatchObject({
      allowed: false,
      refusedBy: { level: 'global', retryAfterMs: 10_100 },
    });
    expect(await sale.join('dan')).toMatchObject({ queued: true, ticket: { position: 2 } });
    const dan = await sale.ticket('dan');
    expect(await sale.queue.leave({ subjects: sale.subjects('bob'), ticketId })).toBe(true);
    expect(await sale.queue.leave({ subjects: sale.subjects('bob'), ticketId })).toBe(false);
    expect(await sale.queue.leave({ subjects: sale.subjects('eve'), ticketId: dan?.ticketId ?? '' })).toBe(
      false,
    );
    expect(await sale.ticket('bob')).toMatchObject({ state: 'void', reason: 'left' });
    expect(await sale.ticket('dan')).toMatchObject({ state: 'waiting', position: 1 });
    await sale.queue.leave({ subjects: sale.subjects('dan'), ticketId: dan?.ticketId ?? '' });
    // The cached refusal is probed after a second.
    sale.pass(1_000);
    expect(await sale.buy('cem', 'cem', sale.nodes[1])).toMatchObject({ allowed: true });
  });

  test('tickets are served in order when a place is free, charged once, and end with their outcome', async () => {
    const sale = startSale();
    await sale.buy('ada');
    await sale.buy('ada', 'again');
    const users = ['bob', 'cem', 'dan'];
    for (const user of users) await waitIn(sale, user);
    sale.pass(10_000);
    const turns = await serveUntil(sale, 2);
    expect(turns.map(({ payload }) => payload)).toEqual(['of bob', 'of cem']);
    expect(turns[0]).toMatchObject({ servedAt: sale.now(), promisedAt: START + 10_050, again: false });
    expect(await sale.ticket('bob')).toMatchObject({
      state: 'served',
      servedAt: sale.now(),
      outcome: 'accepted',
    });
    expect(await sale.ticket('dan')).toMatchObject({ state: 'waiting', position: 1 });
    // The served call is a replay; its place is charged.
    expect(await sale.buy('bob', 'bob')).toMatchObject({ allowed: true, replayed: true });
    const { windows } = await sale.nodes[0].peek(sale.policy, { user: 'bob' });
    expect(windows[1]?.used).toBe(2);
    sale.pass(10_000);
    expect(await serveUntil(sale, 1, sale.other)).toMatchObject([{ payload: 'of dan' }]);
    expect(await sale.queue.state()).toMatchObject({ waiting: 0, nextTurnAt: null, unfinished: 0 });
  });

  test('beyond the greatest length or wait a call is refused with the time to try again', async () => {
    const sale = startSale({ limit: 1, maxLength: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    expect(await sale.join('cem')).toMatchObject({
      queued: false,
      decision: { allowed: false, refusedBy: { level: 'global', retryAfterMs: 10_050 } },
    });
    const patient = startSale({ limit: 1, maxWaitMs: 15_000 });
    await patient.buy('ada');
    await waitIn(patient, 'bob');
    expect(await patient.join('cem')).toMatchObject({
      queued: false,
      decision: { refusedBy: { level: 'global', retryAfterMs: 20_100 - 15_000 } },
    });
  });

  test('a refusal by an own level while the queue is full has the wait of that level', async () => {
    const sale = startSale({ limit: 1, maxLength: 1 });
    await sale.buy('ada');
    for (const requestId of ['bob', 'second', 'third']) await waitIn(sale, 'bob', { requestId });
    expect(await sale.join('bob', { group: 'cake', requestId: 'fourth' })).toMatchObject({
      queued: false,
      decision: { refusedBy: { level: 'user', retryAfterMs: 60_000 } },
    });
  });

  test('a closed queue refuses new tickets and serves the others', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await sale.queue.close();
    expect(await sale.other.state()).toMatchObject({ isClosed: true });
    expect(await sale.join('cem')).toMatchObject({ queued: false, decision: { allowed: false } });
    sale.pass(10_000);
    await serveUntil(sale, 1);
    await sale.queue.open();
    expect(await sale.join('dan')).toMatchObject({ queued: true });
  });

  test('a void of a group or caller ends these tickets alone, and others move forward', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await waitIn(sale, 'bob', { group: 'rice', requestId: 'rice' });
    await waitIn(sale, 'cem');
    await waitIn(sale, 'dan', { group: 'rice' });
    expect(await sale.queue.voidGroup('tea', 'sold-out')).toBe(2);
    expect(await sale.ticket('cem')).toMatchObject({ state: 'void', reason: 'sold-out' });
    expect(await sale.ticket('dan', 'rice')).toMatchObject({ position: 2, ahead: 1 });
    expect(await sale.queue.voidSubject(sale.nodes[0].pseudonymOf('bob'), 'banned')).toBe(1);
    expect(await sale.ticket('bob', 'rice')).toMatchObject({ state: 'void', reason: 'banned' });
    expect(await sale.ticket('dan', 'rice')).toMatchObject({ position: 1, ahead: 0 });
  });

  test('a void ends more tickets than one command takes', async () => {
    const sale = startSale({ limit: 1, windowMs: 100, maxLength: 2_000 });
    await sale.buy('ada');
    await Promise.all(Array.from({ length: 1_010 }, (_, index) => sale.join(`shopper-${index}`)));
    await waitIn(sale, 'cem', { group: 'rice' });
    await sale.queue.voidGroup('tea', 'sold-out');
    expect(await sale.queue.state()).toMatchObject({ waiting: 1 });
    expect(await sale.ticket('cem', 'rice')).toMatchObject({ state: 'waiting', position: 1 });
    expect(await sale.ticket('shopper-1009')).toMatchObject({ state: 'void', reason: 'sold-out' });
  });

  test('a ticket that the store lost is void; so is one of another caller', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    const { ticketId } = await waitIn(sale, 'bob');
    const lost = [{ ticketId, state: 'void', reason: 'lost' }];
    const read = (user: string) => sale.queue.mine({ subjects: sale.subjects(user), ticketIds: [ticketId] });
    expect((await read('eve')).tickets).toMatchObject(lost);
    expect((await read('bob')).tickets).toMatchObject([{ ticketId, state: 'waiting' }]);
    const keys = ['', ':groups', ':tickets'].map((part) => `${sale.prefix}{sale}:queue${part}`);
    for (const key of keys) await store.deleteKey(key);
    expect((await read('bob')).tickets).toMatchObject(lost);
  });

  test('the version falls if the store loses a queue, also before its first turn and when it begins again', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    const { version } = await sale.queue.state();
    const keys = ['', ':groups', ':tickets', ':state'].map((part) => `${sale.prefix}{sale}:queue${part}`);
    for (const key of keys) await store.deleteKey(key);
    expect((await sale.queue.state()).version).toBeLessThan(version);
    sale.pass(1);
    await waitIn(sale, 'cem');
    expect((await sale.queue.state()).version).toBeLessThan(version);
  });

  test('a lower limit moves a turn back with the reason', async () => {
    const sale = startSale({ limit: 2 });
    await sale.buy('ada');
    sale.pass(1_000);
    await sale.buy('ada', 'again');
    const { turnAt } = await waitIn(sale, 'bob');
    for (const node of sale.nodes) {
      node.setOverrides([{ policy: 'sale', level: 'global', limit: 1, version: 1 }]);
    }
    expect(await sale.ticket('bob')).toMatchObject({ turnAt: turnAt + 1_000, delayedBy: 'limit' });
  });

  test.each(['shadow', 'off'] as const)('in mode %s the queue is served at its last pace', async (mode) => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await waitIn(sale, 'cem');
    for (const node of sale.nodes) node.setOverrides([{ policy: 'sale', level: 'global', mode, version: 1 }]);
    expect(await sale.buy('dan', 'dan')).toMatchObject({ allowed: true });
    sale.pass(10_000);
    expect(await serveUntil(sale, 1)).toMatchObject([{ payload: 'of bob' }]);
    expect(await sale.ticket('cem')).toMatchObject({ position: 1, turnAt: sale.now() + 10_050 });
  });

  test('a limit that changes together with the mode does not change the pace of the queue', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await waitIn(sale, 'cem');
    const change = { policy: 'sale', level: 'global', mode: 'off', limit: 50, version: 1 } as const;
    for (const node of sale.nodes) node.setOverrides([change]);
    sale.pass(10_000);
    expect(await serveUntil(sale, 1)).toMatchObject([{ payload: 'of bob' }]);
    expect(await sale.ticket('cem')).toMatchObject({ state: 'waiting', position: 1 });
  });

  test('a node that starts while the level is off serves at the last enforced pace', async () => {
    const sale = startSale({ limit: 5 });
    const lowered = { policy: 'sale', level: 'global', limit: 1, version: 1 } as const;
    for (const node of sale.nodes) node.setOverrides([lowered]);
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await waitIn(sale, 'cem');
    const late = sale.createNode();
    late.setOverrides([{ policy: 'sale', level: 'global', mode: 'off', version: 2 }]);
    sale.pass(10_000);
    expect(await serveUntil(sale, 1, late.queue(sale.policy))).toMatchObject([{ payload: 'of bob' }]);
    const position = { state: 'waiting', position: 1, turnAt: sale.now() + 10_050 };
    expect(await sale.ticket('cem', 'tea', late.queue(sale.policy))).toMatchObject(position);
  });

  test('calls that do not wait, and a repeated join, send nothing to the store', async () => {
    const calls = { count: 0 };
    const sale = startSale({ limit: 1, onStore: (one) => countCalls(one, calls) });
    await sale.buy('ada');
    const ticket = await waitIn(sale, 'bob');
    expect(await sale.buy('cem')).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });
    calls.count = 0;
    for (let call = 0; call < 100; call += 1)
      expect(await sale.buy(`bot-${call}`)).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });
    for (let call = 0; call < 100; call += 1) expect(await waitIn(sale, 'bob')).toEqual(ticket);
    expect(calls.count).toBe(0);
  });

  test('a ticket whose text was lost does not stop the queue', async () => {
    const sale = startSale({ limit: 2 });
    await sale.buy('ada');
    await sale.buy('eve');
    await waitIn(sale, 'bob');
    await store.deleteKey(`${sale.prefix}{sale}:queue:tickets`);
    await waitIn(sale, 'cem');
    sale.pass(10_000);
    await sale.queue.voidSubject(sale.nodes[0].pseudonymOf('eve'), 'banned');
    const turns = await serveUntil(sale, 1);
    expect(turns.at(-1)).toMatchObject({ payload: 'of cem' });
  });

  test('a lost ticket is not counted before the others of its group', async () => {
    const sale = startSale({ limit: 2 });
    await sale.buy('ada');
    await sale.buy('eve');
    await waitIn(sale, 'bob');
    await store.deleteKey(`${sale.prefix}{sale}:queue:tickets`);
    await waitIn(sale, 'gil', { group: 'rice' });
    for (const user of ['cem', 'dan', 'fay']) await waitIn(sale, user);
    sale.pass(10_000);
    await serveUntil(sale, 2);
    // A store in memory loses no text, so it serves the first ticket, too. All others that wait are of one group.
    const last = await sale.ticket('fay');
    if (last?.state !== 'waiting') throw new Error('the last ticket does not wait');
    expect(last.ahead).toBe(last.position - 1);
  });

  test('nothing of a paused group is served; others move past it', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    await waitIn(sale, 'cem', { group: 'rice' });
    sale.pass(10_000);
    const turns: string[] = [];
    let paused = ['tea'];
    const server = sale.queue.serve({
      onTurn: async ({ payload }) => {
        turns.push(payload);
        return { outcome: 'accepted' };
      },
      pausedGroups: () => paused,
    });
    await eventually(() => turns.length === 1, 'the first turn');
    expect(turns).toEqual(['of cem']);
    sale.pass(10_000);
    paused = [];
    server.wake();
    await eventually(() => turns.length === 2, 'the second turn');
    await server.stop();
  });

  test('the turns of a dead node run again on another node, under the same request id', async () => {
    const sale = startSale({ limit: 1, windowMs: 1_000, isRealTime: true });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    let hasServed = false;
    // The turn never ends, and neither does its node call again.
    const dead = sale.queue.serve({
      onTurn: () => {
        hasServed = true;
        return new Promise(() => undefined);
      },
    });
    await eventually(() => hasServed, 'a turn');
    void dead.stop();
    const turns = await serveUntil(sale, 1, sale.other);
    expect(turns).toMatchObject([{ payload: 'of bob', again: true }]);
    expect(await sale.ticket('bob')).toMatchObject({ state: 'served', outcome: 'accepted' });
    expect(await sale.queue.state()).toMatchObject({ waiting: 0, unfinished: 0 });
  });

  test('a turn that throws runs again, and a reason voids its ticket', async () => {
    const sale = startSale({ limit: 1 });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    sale.pass(10_000);
    let calls = 0;
    const server = sale.queue.serve({
      async onTurn() {
        calls += 1;
        if (calls === 1) throw new Error('the database is down');
        return { reason: 'lost' };
      },
    });
    await eventually(() => calls === 2, 'the second call');
    await server.stop();
    expect(await sale.ticket('bob')).toMatchObject({ state: 'void', reason: 'lost' });
  });

  test('a turn that ends after a failed call to the store keeps its outcome', async () => {
    let isDown = false;
    const sale = startSale({
      limit: 1,
      onStore: (one) => ({
        ...one,
        queue: {
          ...one.queue,
          serve: (...call) =>
            isDown
              ? Promise.reject(new StoreUnavailableError('the store is down'))
              : one.queue.serve(...call),
        },
      }),
    });
    await sale.buy('ada');
    await waitIn(sale, 'bob');
    sale.pass(10_000);
    const endTurn: ((result: TurnResult) => void)[] = [];
    const errors: unknown[] = [];
    const server = sale.queue.serve({
      onTurn: () => new Promise((resolve) => endTurn.push(resolve)),
      onError: (error) => errors.push(error),
    });
    await eventually(() => endTurn.length === 1, 'the turn');
    isDown = true;
    await eventually(() => errors.length > 0, 'a failed call');
    isDown = false;
    endTurn[0]?.({ outcome: 'accepted' });
    await eventually(async () => (await sale.queue.state()).unfinished === 0, 'the end of the turn');
    await server.stop();
    expect(await sale.ticket('bob')).toMatchObject({ state: 'served', outcome: 'accepted' });
    expect(endTurn).toHaveLength(1);
  });
});
