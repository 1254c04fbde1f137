/** A node of the figure of leases. */
import { setTimeout as after } from 'node:timers/promises';
import { createLimiter, definePolicy, type Limiter, type NamedPolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { connectRedis } from '../../server/redis/client';
import { connect } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import { serveTasks } from '../harness/tasks';

/** Calls between two reads of the clock. */
const CALLS_PER_CHECK = 8;
/** A paced load sends the calls that are due this often. */
const TICK_MS = 1;
/** A paced load compares its clock with that of Redis this often. The fastest of the reads counts. */
const COMPARE_MS = 1_000;
const CLOCK_READS = 5;

let limiter: Limiter;
const policies = new Map<string, NamedPolicy>();

const tasks = { open, runSlice, play };
export type LeasingNodeTasks = typeof tasks;

serveTasks(tasks);

/** Creates the limiter and defines its policies. `redisUrls`: several are nodes of a cluster. */
async function open(options: { redisUrls: readonly string[]; policies: readonly NamedPolicy[] }) {
  const redis = await connectRedis(options.redisUrls, (error) => console.error(error));
  limiter = createLimiter({ store: ioredisStore(redis), secret, prefix: 'leases:' });
  await limiter.ready();
  for (const policy of options.policies) policies.set(policy.name, definePolicy(policy));
}

function checkOf(name: string): (user: string) => ReturnType<Limiter['check']> {
  const policy = policies.get(name);
  if (!policy) throw new RangeError(`there is no policy ${name}`);
  const hasUser = policy.levels.some(({ level }) => level === 'user');
  return hasUser ? (user) => limiter.check(policy, { user }) : () => limiter.check(policy, {});
}

export interface SliceOptions {
  policy: string;
  /** Time in which calls start, in ms. */
  forMs: number;
  inFlight: number;
  /** Users in rotation. */
  users: number;
}

export interface CheckedSlice {
  admitted: number;
  perSecond: number;
  /** CPU time of this process per call, in µs. */
  cpuUs: number;
}

/** Checks calls for some time, with a number of calls in flight. */
async function runSlice({ policy, forMs, inFlight, users }: SliceOptions): Promise<CheckedSlice> {
  const check = checkOf(policy);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + forMs;
  let calls = 0;
  let admitted = 0;
  const work = async () => {
    while (performance.now() < until) {
      for (let call = 0; call < CALLS_PER_CHECK; call += 1) {
        calls += 1;
        // A step that shares no factor with the number of users visits all of them.
        if ((await check(`s${(calls * 7919) % users}`)).allowed) admitted += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { admitted, perSecond: (calls / tookMs) * 1000, cpuUs: (user + system) / calls };
}

export interface PlayOptions {
  policy: string;
  /** The start, in µs of the machine's monotonic clock. */
  startUs: number;
  /** The calls of each second. */
  perSecond: readonly number[];
  /** Users in rotation. */
  users: number;
  /** A way to the clock of Redis. */
  clockUrl: string;
}

export interface Played {
  sent: number;
  failed: number;
  /** The start by the clock of Redis, in µs. */
  startedAtUs: number;
  /** The instants of the admissions, in µs by the clock of Redis. */
  admittedAtUs: number[];
  /** The instants of those that waited for Redis. */
  waitedAtUs: number[];
  /** The time from each call to its decision, in µs. */
  tookUs: number[];
  /** The largest error of an instant. */
  clockErrorUs: number;
}

/** Sends calls at a pace. */
async function play({ policy, startUs, perSecond, users, clockUrl }: PlayOptions): Promise<Played> {
  const check = checkOf(policy);
  const clock = await openRedisClock(clockUrl);
  const startedAtUs = clock.toStoreUs(startUs);
  const played: Played = {
    ...{ sent: 0, failed: 0, startedAtUs, clockErrorUs: 0 },
    ...{ admittedAtUs: [], waitedAtUs: [], tookUs: [] },
  };
  const unsubscribe = limiter.subscribe(({ decision, source }) => {
    if (!decision?.allowed) return;
    const atUs = clock.toStoreUs(monotonicUs());
    played.admittedAtUs.push(atUs);
    if (source !== 'lease') played.waitedAtUs.push(atUs);
  });
  let pending = 0;
  const send = async (user: string) => {
    pending += 1;
    const calledAtUs = monotonicUs();
    try {
      await check(user);
    } catch {
      played.failed += 1;
    } finally {
      pending -= 1;
      played.tookUs.push(monotonicUs() - calledAtUs);
    }
  };
  const elapsedMs = () => (monotonicUs() - startUs) / 1000;
  await after(Math.max(0, -elapsedMs()));
  let comparedAt = 0;
  let comparing: Promise<void> | undefined;
  for (let now = elapsedMs(); now < perSecond.length * 1000; now = elapsedMs()) {
    for (const due = callsDue(perSecond, now); played.sent < due; played.sent += 1)
      void send(`s${played.sent % users}`);
    if (now > comparedAt + COMPARE_MS) {
      comparedAt = now;
      comparing = clock.compare();
    }
    await after(TICK_MS);
  }
  while (pending > 0) await after(TICK_MS);
  unsubscribe();
  await comparing;
  await clock.stop();
  return { ...played, clockErrorUs: clock.errorUs() };
}

/** Returns the number of calls that are due after some time. */
function callsDue(perSecond: readonly number[], elapsedMs: number): number {
  const seconds = Math.floor(elapsedMs / 1000);
  const past = perSecond.slice(0, seconds).reduce((sum, calls) => sum + calls, 0);
  return Math.floor(past + (perSecond[seconds] ?? 0) * (elapsedMs / 1000 - seconds));
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Connects to the clock of a Redis, in µs. */
async function openRedisClock(url: string) {
  const { client, stop } = await connect(url);
  let offsetUs = 0;
  let errorUs = 0;

  async function compare(): Promise<void> {
    let best = { offsetUs, errorUs: Number.POSITIVE_INFINITY };
    for (let read = 0; read < CLOCK_READS; read += 1) {
      const before = monotonicUs();
      const [seconds, us] = await client.time();
      const now = monotonicUs();
      const error = (now - before) / 2;
      if (error < best.errorUs)
        best = { offsetUs: Number(seconds) * 1e6 + Number(us) - (before + now) / 2, errorUs: error };
    }
    ({ offsetUs } = best);
    errorUs = Math.max(errorUs, best.errorUs);
  }

  await compare();
  return { toStoreUs: (us: number) => us + offsetUs, errorUs: () => errorUs, compare, stop };
}
