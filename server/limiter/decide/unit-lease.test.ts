import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { maxInWindow } from '../../../test/lease-windows';
import { isFull } from '../../../test/property';
import type { EffectiveLevel } from '../policy/overrides';
import { resolvePolicy } from '../policy/resolve-policy';
import { memoryStore } from '../stores/memory-store';
import type { StoreKeys } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';
import type { UnitBatch } from './unit-batches';
import { createUnitLease, type LeaseRefusal, type TakeReply, type UnitLease } from './unit-lease';

const LIMIT = 2;
const WINDOW_MS = 480;
const FOR_MS = 500;
const TICK_MS = 250;
/** The events of an order, and the number of orders. Eight take a minute. */
const [EVENTS, ORDERS] = isFull ? [8, 449_168] : [6, 11_329];
/** The units of a call of each node. */
const COSTS = [2, 1];

const isWaiting = () => false;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const { levels } = resolvePolicy(
  {
    levels: [
      {
        level: 'global',
        algorithm: 'sliding-counter',
        subWindows: 50,
        limit: LIMIT,
        windowMs: WINDOW_MS + FOR_MS,
      },
    ],
    message: { en: 'Full.' },
  },
  'leased',
);
const charged = { levels: levels as readonly EffectiveLevel[], levelIndexes: [0] };
const keys: StoreKeys = {
  level: () => 'level',
  generation: () => 'generation',
  violations: () => '',
  banMember: () => '',
  bans: () => '',
  queue: () => '',
};

/** A command on its way to the store, or its reply on its way back. */
interface Message {
  kind: 'take' | 'give-back';
  execute: () => Promise<void>;
  reply: () => void;
  lose: () => void;
  isExecuted: boolean;
}

/** An admitted call of a node. Another level may still refuse it. */
interface Admission {
  index: number;
  batch: UnitBatch;
  at: number;
}

interface Node {
  lease: UnitLease;
  /** The oldest first. */
  messages: Message[];
}

/** Two nodes with the shipped lease module and the shipped store in memory, and the instants at which they admitted calls. */
function createWorld() {
  const clock = { now: 1_000_000 };
  const store = memoryStore({ clock: () => clock.now });
  /** The calls that were admitted, each unit by its instant. */
  const admitted: Admission[] = [];
  let reservations = 0;
  const createReservationKey = () => {
    reservations += 1;
    return `reservation-${String(reservations).padStart(12, '0')}`;
  };

  async function decide(kind: 'decide' | 'settle', reservationKey: string, cost: number) {
    const policyArgs = { ...charged, kind, ...(kind === 'decide' && { reserveMs: 2 * FOR_MS }) };
    const command = { policyArgs, keys, cost, reservationKey };
    const [reply] = await store.decide([{ command, clock: undefined }]);
    return reply;
  }

  function createNode(): Node {
    const messages: Message[] = [];
    const lease = createUnitLease({
      limit: LIMIT,
      forMs: FOR_MS,
      maxUnits: 1_000,
      clocks: { monotonic: () => clock.now, wall: () => clock.now },
      createReservationKey,
      take: (units, reservationKey) =>
        new Promise<TakeReply>((resolve, reject) => {
          let taken: TakeReply | undefined;
          messages.push({
            kind: 'take',
            isExecuted: false,
            async execute() {
              const reply = await decide('decide', reservationKey, units);
              if (typeof reply !== 'object' || reply instanceof Error) throw reply;
              const [state] = reply.levels;
              if (state) taken = { ...state, admitted: reply.outcome === 'admitted', now: reply.now };
            },
            reply: () => taken && resolve(taken),
            lose: () => reject(new StoreUnavailableError('no reply', { kind: 'timeout' })),
          });
        }),
      giveBack: (reservationKey, kept) =>
        new Promise<void>((resolve) => {
          messages.push({
            kind: 'give-back',
            isExecuted: false,
            execute: async () => void (await decide('settle', reservationKey, kept)),
            reply: resolve,
            lose: resolve,
          });
        }),
    });
    return { lease, messages };
  }

  const nodes = [createNode(), createNode()];
  const onOutcome = (index: number, outcome: UnitBatch | LeaseRefusal) => {
    if ('retryAfterMs' in outcome) return;
    admitted.push({ index, batch: outcome, at: clock.now });
  };

  /** The events that can happen now, by name. */
  function events(): Map<string, () => unknown> {
    const possible = new Map<string, () => unknown>();
    for (const [index, { lease, messages }] of nodes.entries()) {
      const cost = COSTS[index] ?? 1;
      possible.set(`call ${index}`, () => {
        const call = { cost, marginMs: 0 };
        const outcome = lease.spend(call);
        if (outcome) onOutcome(index, outcome);
        else
          lease.acquire(call, isWaiting).then(
            (acquired) => onOutcome(index, acquired),
            () => undefined,
          );
      });
      const last = admitted.findLast((one) => one.index === index);
      if (last) {
        possible.set(`refusal ${index}`, () => {
          admitted.splice(admitted.indexOf(last), 1);
          lease.unspend(last.batch, cost);
        });
      }
      const sent = messages.find(({ isExecuted }) => !isExecuted);
      if (sent) {
        possible.set(`${sent.kind} ${index}`, () => {
          sent.isExecuted = true;
          return sent.execute();
        });
      }
      const executed = messages.find(({ isExecuted }) => isExecuted);
      const end = (message: Message) => messages.splice(messages.indexOf(message), 1);
      if (executed) {
        possible.set(`reply ${index}`, () => {
          end(executed);
          executed.reply();
        });
      }
      const lost = executed ?? sent;
      if (lost) {
        possible.set(`loss ${index}`, () => {
          end(lost);
          lost.lose();
        });
      }
    }
    possible.set('tick', () => {
      clock.now += TICK_MS;
      vi.advanceTimersByTime(TICK_MS);
    });
    return possible;
  }

  const instants = () => admitted.flatMap(({ index, at }) => Array<number>(COSTS[index] ?? 1).fill(at));
  return { events, instants };
}

test('two nodes admit at most the limit in every window, in every order of events', async () => {
  let orders = 0;
  let fullest = 0;
  /** The index of the event at each step. The last that can still grow grows, like the digits of a counter. */
  const path: number[] = [];
  do {
    vi.clearAllTimers();
    const world = createWorld();
    const names: string[] = [];
    const sizes: number[] = [];
    for (let step = 0; step < EVENTS; step += 1) {
      const possible = [...world.events()];
      if (path.length === step) path.push(0);
      const chosen = possible[path[step] ?? 0];
      if (!chosen) throw new Error('the path has no such event');
      names.push(chosen[0]);
      sizes.push(possible.length);
      await chosen[1]();
      await new Promise(setImmediate);
    }
    orders += 1;
    const instants = world.instants();
    fullest = Math.max(fullest, maxInWindow(instants, WINDOW_MS));
    if (fullest > LIMIT) expect.fail(`more than ${LIMIT} by ${names.join(', ')}`);
    while (path.length > 0 && (path.at(-1) ?? 0) + 1 >= (sizes[path.length - 1] ?? 0)) path.pop();
    if (path.length > 0) path[path.length - 1] = (path.at(-1) ?? 0) + 1;
  } while (path.length > 0);
  expect({ orders, fullest }).toEqual({ orders: ORDERS, fullest: LIMIT });
}, 300_000);

const clock = { now: 0 };
const FAR_LIMIT = 1_000_000;

/** Creates a lease of a store that replies after some time. Default: it is never full. */
function leaseFrom({ replyMs, limit = FAR_LIMIT }: { replyMs: number; limit?: number }) {
  const used = { units: 0, commands: 0 };
  const lease = createUnitLease({
    limit,
    forMs: FOR_MS,
    maxUnits: FAR_LIMIT,
    clocks: { monotonic: () => clock.now, wall: () => clock.now },
    createReservationKey: String,
    take(units) {
      used.commands += 1;
      const admitted = used.units + units <= limit;
      if (admitted) used.units += units;
      // The level is full for less time than the way of the reply.
      const retryAfterMs = admitted ? 0 : 1;
      const reply = { admitted, now: clock.now, used: used.units, retryAfterMs, resetMs: 0 };
      return new Promise((resolve) => setTimeout(() => resolve(reply), replyMs));
    },
    giveBack: async () => undefined,
  });
  return { lease, used };
}

async function passMs(): Promise<void> {
  clock.now += 1;
  await vi.advanceTimersByTimeAsync(1);
}

test.each([
  { what: 'at a distant store', replyMs: 145, marginMs: 0 },
  { what: 'with other levels', replyMs: 2, marginMs: 250 },
])('after the first second no call at an even rate waits, and few units stay idle: $what', async (given) => {
  const { lease, used } = leaseFrom(given);
  const call = { cost: 1, marginMs: given.marginMs };
  let waited = 0;
  for (let ms = 0; ms < 3_000; ms += 1) {
    for (let sent = 0; sent < 5; sent += 1) {
      if (lease.spend(call)) continue;
      if (ms >= 1_000) waited += 1;
      void lease.acquire(call, isWaiting);
    }
    await passMs();
  }
  expect(waited).toBe(0);
  expect(used.units / (3_000 * 5)).toBeLessThan(1.25);
});

test('a lease that ends waits for units that are on their way, and gives them back', async () => {
  const { lease } = leaseFrom({ replyMs: 100 });
  const call = { cost: 1, marginMs: 0 };
  for (let ms = 0; ms < 50; ms += 1) {
    lease.spend(call);
    await passMs();
  }
  const acquired = lease.acquire(call, isWaiting);
  let isOver = false;
  const ended = lease.end().then(() => {
    isOver = true;
  });
  await passMs();
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all([acquired, ended]);
  expect(lease.state().idle).toBe(0);
});

test.each([
  { what: 'the limit allows all', limit: 50_000, admitted: 20_000, commands: 50 },
  { what: 'the limit allows some', limit: 5_000, admitted: 5_000, commands: 50 },
  { what: 'others have taken most units', limit: 50_000, taken: 49_000, admitted: 1_000, commands: 150 },
])('20,000 calls at once take few commands: $what', async ({ limit, taken = 0, admitted, commands }) => {
  const { lease, used } = leaseFrom({ replyMs: 10, limit });
  used.units = taken;
  const calls = Array.from({ length: 20_000 }, () => lease.acquire({ cost: 1, marginMs: 0 }, isWaiting));
  const outcomes = Promise.all(calls);
  for (let ms = 0; ms < 100; ms += 1) await passMs();
  const granted = (await outcomes).filter((outcome) => !('retryAfterMs' in outcome));
  expect(granted).toHaveLength(admitted);
  expect(used.commands).toBeLessThanOrEqual(commands);
});

test('a call whose caller no longer waits takes no units', async () => {
  const { lease, used } = leaseFrom({ replyMs: 10, limit: 1_000 });
  used.units = 900;
  let isOver = false;
  for (let call = 0; call < 500; call += 1)
    lease.acquire({ cost: 1, marginMs: 0 }, () => isOver).catch(() => undefined);
  await passMs();
  isOver = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(used).toMatchObject({ commands: 32, units: 931 });
  expect(lease.state().idle).toBe(31);
});

test.each([
  { calls: 1, replyMs: 145, costs: [1] },
  { calls: 100, replyMs: 10, costs: [1, 2] },
])('at a full level no call waits for more than one reply: $calls in a tick', async (given) => {
  const { calls, replyMs, costs } = given;
  const { lease } = leaseFrom({ replyMs, limit: 10 });
  const waits: Promise<number>[] = [];
  for (let ms = 0; ms < 3 * replyMs; ms += 1) {
    for (let sent = 0; sent < calls; sent += 1) {
      const call = { cost: costs[sent % costs.length] ?? 1, marginMs: 0 };
      if (lease.spend(call)) continue;
      const sentAt = clock.now;
      waits.push(lease.acquire(call, isWaiting).then(() => clock.now - sentAt));
    }
    await passMs();
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waits.length).toBeGreaterThan(replyMs * calls);
  expect(Math.max(...(await Promise.all(waits)))).toBeLessThanOrEqual(replyMs);
});
