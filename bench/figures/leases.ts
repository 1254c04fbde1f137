import type { NamedPolicy } from '../../server/limiter/index';
import { maxInWindow } from '../../test/lease-windows';
import { type ClusterNode, startRedisCluster } from '../../test/services/redis-cluster';
import { startRedisProxy } from '../../test/services/redis-proxy';
import { connect, isInstalled } from '../contenders/contender';
import { type ContenderName, contenderOf, titleOf } from '../contenders/contenders';
import type { Figure, Lab } from '../harness/lab';
import type { BenchProcess } from '../harness/process';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureInRounds, type Spread, spreadBy, spreadOf } from '../harness/rounds';
import type { LeasingNodeTasks, Played } from '../servers/leasing-node';
import { startWorker } from '../servers/worker-process';

/** `steadySeconds`: of a load below the limit. `fillSeconds`, then `fullSeconds`: of a load above it. */
const efforts = {
  full: { rounds: 9, sliceMs: 250, warmUpMs: 2_000, steadySeconds: 20, fillSeconds: 11, fullSeconds: 42 },
  smoke: { rounds: 1, sliceMs: 10, warmUpMs: 10, steadySeconds: 2, fillSeconds: 0, fullSeconds: 2 },
};
const WINDOW_MS = 10_000;
const FOR_MS = 500;
/** The part of its limit that a level can use which is charged in windows of `WINDOW_MS + FOR_MS`. */
const USABLE_PART = WINDOW_MS / (WINDOW_MS + FOR_MS);
const IN_FLIGHT = 64;
const CLUSTER_IN_FLIGHT = 256;
const USERS = 10_000;
/** Tokyo to Virginia and back. */
const ROUND_TRIP_MS = 145;
const NODES = 3;
const SHARED_LIMIT = 20_000;
/** Calls of all nodes above the shared limit: 1.5 times its rate. */
const FLOOD_PER_SECOND = (1.5 * SHARED_LIMIT * 1000) / WINDOW_MS;

const counter = { algorithm: 'sliding-counter', windowMs: WINDOW_MS } as const;
const user = { ...counter, level: 'user', limit: 1_000_000 };
const single = { ...counter, level: 'global', limit: 1_000_000, subWindows: 100 };
const leased = { ...single, limit: 20_000_000, lease: { forMs: FOR_MS } };
const policies: readonly NamedPolicy[] = [
  { name: 'leased', levels: [leased] },
  { name: 'single', levels: [single] },
  { name: 'denied', levels: [{ ...single, limit: 1, windowMs: 3_600_000 }] },
  { name: 'steady', levels: [leased] },
  { name: 'charged', levels: [{ level: 'user', limit: 100, windowMs: WINDOW_MS }] },
  { name: 'distant', levels: [leased] },
  { name: 'even', levels: [{ ...leased, limit: SHARED_LIMIT }] },
  { name: 'moving', levels: [{ ...leased, limit: SHARED_LIMIT }] },
  { name: 'one-slot', levels: [user, single] },
  { name: 'spread', levels: [user, leased] },
];

export const leases: Figure = {
  name: 'leases',
  ownLoad: 2,
  async measure(lab) {
    await lab.empty();
    const speed = await measureSpeed(lab);
    const steady = await measureSteady(lab, 'steady');
    const charged = await measureSteady(lab, 'charged');
    const distant = await measureDistant(lab);
    const even = await measureFlood(lab, 'even');
    const moving = await measureFlood(lab, 'moving');
    const cluster = await measureCluster(lab);
    const distance = `Redis ${ROUND_TRIP_MS} ms away, 5 000 a second: admitted calls in 1 000 that waited for it`;
    const usable = `used share ÷ ${digits(USABLE_PART)}`;
    return {
      text: [
        describeSteady([steady, charged]),
        describeSpeed(speed),
        describeFloods([even, moving]),
        describeCluster(cluster),
      ].join('\n\n'),
      goals: [
        goal('`check`, leased ÷ a known denial', { min: 0.8 }, speed.toDenial),
        goal('`check`, leased ÷ single', { min: 3 }, speed.toSingle),
        goal('script calls for 1 000 admitted at 10 000 a second', { max: 2 }, steady.scripts),
        goal(distance, { max: 1 }, distant),
        goal(`${usable}, even load`, { min: 0.95 }, even.usedShare / USABLE_PART),
        goal(`${usable}, load that moves each second`, { min: 0.85 }, moving.usedShare / USABLE_PART),
        goal('CPU of the busiest master, `global` leased ÷ in one slot', { max: 0.5 }, cluster.ratio),
        goal('worst window ÷ limit', { max: 1 }, Math.max(even.worst, moving.worst)),
      ],
    };
  },
};

function goal(what: string, bound: Goal['bound'], reached: Spread | number): Goal {
  return { what, bound, reached: typeof reached === 'number' ? spreadOf([reached]) : reached };
}

type LeasingNode = BenchProcess<LeasingNodeTasks, unknown>;

async function startNode(lab: Lab, redisUrls: readonly string[]): Promise<LeasingNode> {
  const node = await lab.start<LeasingNodeTasks>('bench/servers/leasing-node.ts', [], { waitMs: 120_000 });
  await node.call('open', { redisUrls, policies });
  return node;
}

interface SpeedRow {
  title: string;
  perSecond: Spread;
  /** CPU time of the process for one call. */
  cpuUs: Spread;
}

interface Speed {
  rows: SpeedRow[];
  toDenial: Spread;
  toSingle: Spread;
}

const checked = {
  leased: '**Floodgate, leased**',
  denied: 'Floodgate, a known denial',
  single: 'Floodgate, single',
};
const peers: readonly ContenderName[] = ['flexibleMemory', 'upstashCaches'];
type Sliced = keyof typeof checked | ContenderName;

/** Measures `check` of one process, and the calls of other limiters in processes of their own, in turn. */
async function measureSpeed(lab: Lab): Promise<Speed> {
  const { rounds, sliceMs, warmUpMs } = efforts[lab.size];
  const node = await startNode(lab, [lab.redisUrl]);
  const slices = new Map<Sliced, (forMs: number) => Promise<{ perSecond: number; cpuUs: number }>>();
  for (const policy of Object.keys(checked) as (keyof typeof checked)[])
    slices.set(policy, (forMs) => node.call('runSlice', { policy, forMs, inFlight: IN_FLIGHT, users: 1 }));
  for (const name of peers.filter((peer) => isInstalled(contenderOf(peer)))) {
    const worker = await startWorker(lab, name);
    const { limit, windowMs } = leased;
    const levels = [{ limit, windowMs }];
    await worker.call('open', { gate: 0, redisUrl: lab.redisUrl, prefix: `${name}:`, levels });
    const slice = { gate: 0, inFlight: IN_FLIGHT, subjects: 1, levels: 1 };
    slices.set(name, (forMs) => worker.call('runSlice', { ...slice, forMs }));
  }
  for (const runSlice of slices.values()) await runSlice(warmUpMs);
  const taken = await measureInRounds([...slices], {
    rounds,
    measure: ([, runSlice]) => runSlice(sliceMs),
    note: (text) => lab.note(`speed, ${text}`),
  });
  const byName = new Map([...taken].map(([[name], rows]) => [name, rows]));
  const ratioTo = (other: Sliced) => {
    const rows = byName.get('leased') ?? [];
    return spreadOf(
      rows.map(({ perSecond }, round) => perSecond / (byName.get(other)?.[round]?.perSecond ?? 0)),
    );
  };
  return {
    rows: [...byName].map(([name, rows]) => ({
      title: name in checked ? checked[name as keyof typeof checked] : titleOf(name as ContenderName),
      perSecond: spreadBy(rows, ({ perSecond }) => perSecond),
      cpuUs: spreadBy(rows, ({ cpuUs }) => cpuUs),
    })),
    toDenial: ratioTo('denied'),
    toSingle: ratioTo('single'),
  };
}

const steadyPolicies = {
  steady: 'a leased `global`',
  charged: '`user`, 100 in 10 s by the sliding log, of 10 000 users',
};

interface Steady {
  policy: keyof typeof steadyPolicies;
  /** Script calls for 1,000 admitted calls. */
  scripts: number;
  /** The time from a call to its decision, of half and of 99 in 100 calls after the warm-up. */
  p50Us: number;
  p99Us: number;
}

/** Measures one node at 10,000 calls a second. */
async function measureSteady(lab: Lab, policy: Steady['policy']): Promise<Steady> {
  lab.note(policy);
  const { client, stop } = await connect(lab.redisUrl);
  lab.onEnd(stop);
  const countScripts = async () => {
    const counted = (await client.info('commandstats')).matchAll(/cmdstat_(?:fcall|evalsha):calls=(\d+)/g);
    return [...counted].reduce((sum, [, calls]) => sum + Number(calls), 0);
  };
  const node = await startNode(lab, [lab.redisUrl]);
  const before = await countScripts();
  const { steadySeconds, warmUpMs } = efforts[lab.size];
  const perSecond = Array<number>(steadySeconds).fill(10_000);
  const [{ admittedAtUs, tookUs }] = await playTogether(lab, [node], { policy, loads: [perSecond] });
  const scripts = ((await countScripts()) - before) / (admittedAtUs.length / 1000);
  const warm = tookUs.slice(10 * warmUpMs).sort((one, other) => one - other);
  const slowestOf = (part: number) => warm[Math.ceil(part * warm.length) - 1] ?? Number.NaN;
  await node.stop();
  return { policy, scripts, p50Us: slowestOf(0.5), p99Us: slowestOf(0.99) };
}

/** Returns how many of 1,000 admitted calls waited for a distant Redis after the first second. */
async function measureDistant(lab: Lab): Promise<number> {
  lab.note('distant');
  const proxy = await startRedisProxy(lab.redisUrl, { delayMs: ROUND_TRIP_MS / 2 });
  lab.onEnd(async () => proxy.stop());
  const node = await startNode(lab, [proxy.url]);
  const perSecond = Array<number>(efforts[lab.size].steadySeconds + 1).fill(5_000);
  const [played] = await playTogether(lab, [node], { policy: 'distant', loads: [perSecond] });
  const afterFirstSecond = (instants: readonly number[]) =>
    instants.filter((atUs) => atUs >= played.startedAtUs + 1e6).length;
  return (1000 * afterFirstSecond(played.waitedAtUs)) / afterFirstSecond(played.admittedAtUs);
}

interface Flood {
  load: string;
  /** The admitted units ÷ those that a limit without a lease admits at most. */
  usedShare: number;
  /** The most units that were spent in any window ÷ the limit. */
  worst: number;
  clockErrorMs: number;
}

/** Measures three nodes that share a limit and are called more often than it admits. */
async function measureFlood(lab: Lab, load: 'even' | 'moving'): Promise<Flood> {
  lab.note(load);
  const { fillSeconds, fullSeconds } = efforts[lab.size];
  const nodes: LeasingNode[] = [];
  while (nodes.length < NODES) nodes.push(await startNode(lab, [lab.redisUrl]));
  const loads = nodes.map((_, node) =>
    Array.from({ length: fillSeconds + fullSeconds }, (_, second) => {
      if (load === 'even') return FLOOD_PER_SECOND / NODES;
      return second % NODES === node ? FLOOD_PER_SECOND : 0;
    }),
  );
  const played = await playTogether(lab, nodes, { policy: load, loads });
  for (const node of nodes) await node.stop();
  const instants = played.flatMap(({ admittedAtUs }) => admittedAtUs);
  const fromUs = played[0].startedAtUs + fillSeconds * 1e6;
  const inFull = instants.filter((atUs) => atUs >= fromUs && atUs < fromUs + fullSeconds * 1e6);
  return {
    load,
    usedShare: inFull.length / ((SHARED_LIMIT * fullSeconds * 1000) / WINDOW_MS),
    worst: maxInWindow(instants, WINDOW_MS * 1000) / SHARED_LIMIT,
    clockErrorMs: Math.max(...played.map(({ clockErrorUs }) => clockErrorUs)) / 1000,
  };
}

/** Plays one load at each node, from the same instant on. */
async function playTogether(
  lab: Lab,
  nodes: readonly LeasingNode[],
  { policy, loads }: { policy: string; loads: readonly (readonly number[])[] },
): Promise<[Played, ...Played[]]> {
  // All nodes are ready by then.
  const startUs = Number(process.hrtime.bigint() / 1000n) + 500_000;
  const [first, ...others] = await Promise.all(
    nodes.map((node, index) =>
      node.call('play', {
        ...{ policy, startUs, perSecond: loads[index] ?? [], users: USERS, clockUrl: lab.redisUrl },
      }),
    ),
  );
  if (!first) throw new TypeError('a load needs a node');
  return [first, ...others];
}

interface ClusterRow {
  title: string;
  /** CPU time of the busiest master for 1,000 admitted calls. */
  busiestUs: Spread;
  perSecond: Spread;
}

const clusterPolicies = { spread: '`user` single, `global` leased', 'one-slot': 'both single, in one slot' };

/** Measures the masters of a cluster under a policy whose `global` level is leased, or in the slot of the other. */
async function measureCluster(lab: Lab): Promise<{ rows: ClusterRow[]; ratio: Spread }> {
  lab.note('cluster');
  const { rounds, sliceMs, warmUpMs } = efforts[lab.size];
  const cluster = await startRedisCluster({ nodeTimeoutMs: 15_000 });
  lab.onEnd(cluster.stop);
  const node = await startNode(lab, cluster.url.split(','));
  const slice = { inFlight: CLUSTER_IN_FLIGHT, users: USERS };
  const names = Object.keys(clusterPolicies) as (keyof typeof clusterPolicies)[];
  for (const policy of names) await node.call('runSlice', { ...slice, policy, forMs: warmUpMs });
  const taken = await measureInRounds(names, {
    rounds,
    async measure(policy) {
      const before = await Promise.all(cluster.nodes.map(readCpuUs));
      const { admitted, perSecond } = await node.call('runSlice', { ...slice, policy, forMs: 4 * sliceMs });
      const after = await Promise.all(cluster.nodes.map(readCpuUs));
      const busiestUs = Math.max(...after.map((us, index) => us - (before[index] ?? 0)));
      return { busiestUs: busiestUs / (admitted / 1000), perSecond };
    },
    note: (text) => lab.note(`cluster, ${text}`),
  });
  const inOneSlot = taken.get('one-slot') ?? [];
  return {
    rows: [...taken].map(([policy, rows]) => ({
      title: clusterPolicies[policy],
      busiestUs: spreadBy(rows, ({ busiestUs }) => busiestUs),
      perSecond: spreadBy(rows, ({ perSecond }) => perSecond),
    })),
    ratio: spreadOf(
      (taken.get('spread') ?? []).map(
        ({ busiestUs }, round) => busiestUs / (inOneSlot[round]?.busiestUs ?? 0),
      ),
    ),
  };
}

async function readCpuUs({ client }: ClusterNode): Promise<number> {
  const used = (await client.info('cpu')).matchAll(/^used_cpu_(?:user|sys):(.+?)\r?$/gm);
  return [...used].reduce((sum, [, seconds]) => sum + Number(seconds), 0) * 1e6;
}

function describeSteady(steady: readonly Steady[]): string {
  return table(
    ['one process, 10 000 calls a second', 'p50, µs', 'p99, µs', 'script calls for 1 000 admitted'],
    steady.map(({ policy, scripts, p50Us, p99Us }) => [
      steadyPolicies[policy],
      ...[p50Us, p99Us, scripts].map(digits),
    ]),
  );
}

function describeSpeed({ rows }: Speed): string {
  return table(
    ['one call, all admitted', 'calls/s', 'CPU of the caller, µs'],
    rows.map(({ title, perSecond, cpuUs }) => [title, withSpread(perSecond), withSpread(cpuUs)]),
  );
}

function describeFloods(floods: readonly Flood[]): string {
  return table(
    [
      'three nodes, 1.5 times the limit',
      'used share of the limit',
      'worst window ÷ limit',
      'error of an instant, ms',
    ],
    floods.map(({ load, usedShare, worst, clockErrorMs }) => [
      load,
      digits(usedShare),
      worst.toFixed(4),
      digits(clockErrorMs),
    ]),
  );
}

function describeCluster({ rows }: { rows: readonly ClusterRow[] }): string {
  return table(
    ['three masters', 'CPU of the busiest for 1 000 admitted, µs', 'calls/s'],
    rows.map(({ title, busiestUs, perSecond }) => [title, withSpread(busiestUs), withSpread(perSecond)]),
  );
}
