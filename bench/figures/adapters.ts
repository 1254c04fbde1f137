import { createRequire } from 'node:module';
import { buildPackage } from '../../scripts/lib/limiter-package';
import { isInstalled, versionsOf } from '../contenders/contender';
import type { Figure, Lab } from '../harness/lab';
import { startLoadedServer } from '../harness/load';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureBetween, type Spread, spreadBy, spreadOf } from '../harness/rounds';

const frameworks = [
  {
    name: 'express',
    title: 'Express',
    peer: 'express-rate-limit',
    needs: ['express-rate-limit', 'rate-limit-redis'],
  },
  { name: 'fastify', title: 'Fastify', peer: '@fastify/rate-limit', needs: ['@fastify/rate-limit'] },
  { name: 'hono', title: 'Hono', peer: 'hono-rate-limiter', needs: ['hono-rate-limiter'] },
];
type Framework = (typeof frameworks)[number];

/** The compared limiters, with their routes in `servers/framework.ts`. */
const pairs = [
  { what: 'admitted, through Redis', ours: '/known/open', theirs: '/redis/open' },
  { what: 'refused, through Redis', ours: '/uncached/full', theirs: '/redis/full' },
  { what: 'refused, known denial or cache in memory', ours: '/known/full', theirs: '/memory/full' },
];
/** Only they admit from memory: our limits are those of all nodes. */
const THEIR_ADMITTED = '/memory/open';
const BARE = '/bare';
const routes = [...pairs.flatMap(({ ours, theirs }) => [ours, theirs]), THEIR_ADMITTED];

/** Callers who are admitted have enough room; those who are refused have used theirs. */
const callerCounts = { admitted: 5_000, refused: 50 };

const packageFolder = '.data/bench-package';

const efforts = {
  full: { rounds: 60, calls: 800, warmUp: 4_000 },
  smoke: { rounds: 1, calls: 60, warmUp: 200 },
};

/** The cost of one call above the bare handler, in µs: CPU of the server's process, and CPU of Redis. */
interface Cost {
  nodeUs: number;
  redisUs: number;
}

interface Measured {
  framework: Framework;
  /** Of a call of the bare handler. */
  bareUs: Spread;
  /** Returns the costs of a route by round. */
  costsOf(route: string): readonly Cost[];
}

export const adapters: Figure = {
  name: 'adapters',
  ownLoad: 2,
  async measure(lab) {
    lab.note('package');
    await buildPackage(packageFolder);
    const measured: Measured[] = [];
    for (const framework of frameworks.filter(isInstalled))
      measured.push(await measureFramework(framework, lab));
    return {
      text: describe(measured),
      goals: measured.flatMap(goalsOf),
    };
  },
};

async function measureFramework(framework: Framework, lab: Lab): Promise<Measured> {
  const { rounds, calls, warmUp } = efforts[lab.size];
  await lab.empty();
  const args = [framework.name, packageFolder, lab.redisUrl];
  const server = await startLoadedServer(lab, 'bench/servers/framework.ts', args);
  let sent = 0;
  const callsOf = (route: string) => () => {
    sent += 1;
    const callers = isRefusing(route) ? callerCounts.refused : callerCounts.admitted;
    return { path: route, headers: { accept: '*/*', 'x-user': `user-${sent % callers}` } };
  };
  for (const route of [BARE, ...routes]) await server.warm(warmUp, callsOf(route));
  const taken = await measureBetween(routes, {
    rounds,
    yardstick: BARE,
    async measure(route): Promise<Cost> {
      const before = await lab.redisCpuUs();
      const { cpuUs } = await server.cost(calls, callsOf(route), isRefusing(route) ? 429 : 200);
      return { nodeUs: cpuUs, redisUs: ((await lab.redisCpuUs()) - before) / calls };
    },
    note: (text) => lab.note(`${framework.name}, ${text}`),
  });
  await server.stop();
  return {
    framework,
    bareUs: spreadBy(taken.get(BARE) ?? [], ({ own }) => own.nodeUs),
    costsOf: (route) =>
      (taken.get(route) ?? []).map(({ own, yardstick: [before, after] }) => ({
        nodeUs: own.nodeUs - (before.nodeUs + after.nodeUs) / 2,
        redisUs: own.redisUs,
      })),
  };
}

function isRefusing(route: string): boolean {
  return route.endsWith('/full');
}

function totalOf({ nodeUs, redisUs }: Cost): number {
  return nodeUs + redisUs;
}

function goalsOf({ framework: { title, peer }, costsOf }: Measured): Goal[] {
  return pairs.map(({ what, ours, theirs }) => {
    const peers = costsOf(theirs).map(totalOf);
    const ratios = costsOf(ours).map((cost, round) => totalOf(cost) / (peers[round] ?? Number.NaN));
    return {
      what: `${title}, ${what}: CPU above the bare handler ÷ ${peer}`,
      bound: { max: 1 },
      reached: spreadOf(ratios),
    };
  });
}

function describe(measured: readonly Measured[]): string {
  const versionOf = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version;
  const versions = measured.map(({ framework }) => versionsOf(framework)).join(', ');
  return `Express ${versionOf('express')}, Fastify ${versionOf('fastify')}, ${versions}.

${table(
  ['call', 'limiter', 'server above bare, µs', 'Redis, µs', 'together'],
  measured.flatMap(({ framework: { title, peer }, bareUs, costsOf }) => {
    const row = (what: string, limiter: string, route: string) => [
      `${title}, ${what}`,
      limiter,
      withSpread(spreadBy(costsOf(route), ({ nodeUs }) => nodeUs)),
      digits(spreadBy(costsOf(route), ({ redisUs }) => redisUs).median),
      withSpread(spreadBy(costsOf(route), totalOf)),
    ];
    return [
      [`*${title}, bare handler*`, '', `*${withSpread(bareUs)} in all*`, '', ''],
      ...pairs.flatMap(({ what, ours, theirs }) => [
        row(what, '**Floodgate**', ours),
        row(what, peer, theirs),
      ]),
      row('admitted, cache in memory', peer, THEIR_ADMITTED),
    ];
  }),
  { text: [1] },
)}`;
}
