import { createRequire } from 'node:module';
import { buildPackage } from '../../scripts/lib/limiter-package.mjs';
import { isInstalled, versionsOf } from '../contenders/contender.mjs';
import { barPlot } from '../report/bars.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { CONNECTIONS } from '../run/load-server.mjs';
import { serveFramework } from './load-route.mjs';

/**
 * The cost of one call above the bare handler, in µs: CPU of the server's process, and CPU of Redis. One entry per round.
 *
 * @typedef {{ nodeUs: number[], redisUs: number[] }} Costs
 * @typedef {{ framework: Framework, bareUs: number[], costs: Map<string, Costs> }} Measured
 * @typedef {{ name: string, title: string, peer: string, needs: readonly string[] }} Framework
 */

/** @type {readonly Framework[]} */
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

/** What is compared, with the routes of framework-server.mjs. */
const pairs = [
  { what: 'admitted, through Redis', ours: '/known/open', theirs: '/redis/open' },
  { what: 'refused, through Redis', ours: '/uncached/full', theirs: '/redis/full' },
  { what: 'refused, known denial or cache in memory', ours: '/known/full', theirs: '/memory/full' },
];
/** Only they admit from memory: our limits are those of all nodes. */
const THEIR_ADMITTED = '/memory/open';
const routes = [...pairs.flatMap(({ ours, theirs }) => [ours, theirs]), THEIR_ADMITTED];

const packageFolder = '.data/bench-package';

const efforts = {
  full: { rounds: 25, calls: 2_000, warmUp: 4_000 },
  quick: { rounds: 1, calls: 400, warmUp: 600 },
  smoke: { rounds: 1, calls: 60, warmUp: 200 },
};

/** @type {import('../run/figure').Figure} */
export const adapters = {
  name: 'adapters',
  title: 'The package',
  ownLoad: 2,
  async measure(lab) {
    lab.note('adapters, package');
    await buildPackage(packageFolder);
    const measured = [];
    for (const framework of frameworks) {
      if (isInstalled(framework)) measured.push(await measureFramework(framework, lab));
    }
    return {
      text: describe(measured, efforts[lab.size]),
      goals: measured.flatMap(goalsOf),
      plots: { 'adapters.svg': plot(measured) },
      data: measured.map(({ framework: { name }, bareUs, costs }) => ({
        ...{ name, bareUs: spreadOf(bareUs) },
        costs: Object.fromEntries([...costs].map(([route, cost]) => [route, spreadOf(totalOf(cost))])),
      })),
    };
  },
};

/**
 * @param {Framework} framework
 * @param {import('../run/figure').Lab} lab
 * @returns {Promise<Measured>}
 */
async function measureFramework(framework, lab) {
  const { rounds, calls, warmUp } = efforts[lab.size];
  await lab.empty();
  const server = await serveFramework({ framework: framework.name, packageFolder, redisUrl: lab.redisUrl });
  lab.onEnd(server.stop);
  for (const route of ['/bare', ...routes]) await server.warm(route, warmUp);

  /** @type {Map<string, Costs>} */
  const costs = new Map(routes.map((route) => [route, { nodeUs: [], redisUs: [] }]));
  const bareUs = [];
  for (let round = 0; round < rounds; round += 1) {
    lab.note(`adapters, ${framework.name}, round ${round + 1} of ${rounds}`);
    let before = await server.cost('/bare', calls);
    for (const route of round % 2 === 0 ? routes : routes.toReversed()) {
      const redisBefore = await lab.redisCpuUs();
      const own = await server.cost(route, calls);
      const redisUs = ((await lab.redisCpuUs()) - redisBefore) / calls;
      const after = await server.cost('/bare', calls);
      costs.get(route)?.nodeUs.push(own - (before + after) / 2);
      costs.get(route)?.redisUs.push(redisUs);
      bareUs.push(after);
      before = after;
    }
  }
  await server.stop();
  return { framework, bareUs, costs };
}

/** @param {Costs} costs */
function totalOf({ nodeUs, redisUs }) {
  return nodeUs.map((us, round) => us + (redisUs[round] ?? 0));
}

/** @type {Costs} */
const none = { nodeUs: [], redisUs: [] };

/** @param {Measured} measured */
function goalsOf({ framework: { title, peer }, costs }) {
  return pairs.map(({ what, ours, theirs }) => {
    const peers = totalOf(costs.get(theirs) ?? none);
    const ratios = totalOf(costs.get(ours) ?? none).map((us, round) => us / (peers[round] ?? Number.NaN));
    return {
      what: `${title}, ${what}: CPU above the bare handler ÷ ${peer}`,
      bound: { max: 1 },
      reached: spreadOf(ratios),
    };
  });
}

/** @param {readonly Measured[]} measured */
function plot(measured) {
  return barPlot({
    title: 'CPU of server and Redis for one call above the bare handler, µs',
    bars: measured.flatMap(({ framework: { title, peer }, costs }) =>
      pairs.flatMap(({ what, ours, theirs }) => [
        { label: `${title}, ${what}`, value: spreadOf(totalOf(costs.get(ours) ?? none)), isOurs: true },
        { label: peer, value: spreadOf(totalOf(costs.get(theirs) ?? none)), isOurs: false },
      ]),
    ),
  });
}

/**
 * @param {readonly Measured[]} measured
 * @param {{ rounds: number, calls: number }} effort
 */
function describe(measured, { rounds, calls }) {
  const versionOf = (/** @type {string} */ name) =>
    createRequire(import.meta.url)(`${name}/package.json`).version;
  const versions = measured.map(({ framework: { needs } }) => versionsOf({ needs })).join(', ');
  const absent = frameworks.filter((framework) => !isInstalled(framework)).map(({ peer }) => peer);
  return `The packed package (\`npm run package\`) and the limiters of Express ${versionOf('express')}, Fastify ${versionOf('fastify')} and
Hono: ${versions}. One process per framework has a route for each limiter and one
without; ${CONNECTIONS} loopback connections call one route at a time. All limiters have their default options, count by a header, and use one
ioredis client of one Redis. Admitted callers: 5,000, at most 100 calls in a minute. Refused callers: 50, one call in an hour. Floodgate's
windows are sliding logs, exact on any number of nodes; the others are windows from the first call. A known denial is refused from
memory; *refused, through Redis* is without the denial cache. The cost is the CPU time (user and system) of the server's process above the
bare handler, the mean of the runs right before and after, plus that of Redis. A refusal behind Express may cost less than the bare handler, for
which \`res.send\` computes an ETag. ${rounds} rounds of ${calls} calls; every other round
is in reverse order.
${absent.length > 0 ? `\nNot installed, and left out: ${absent.join(', ')}.\n` : ''}
![CPU of server and Redis for one call](benchmarks/adapters.svg)

${table(
  ['call', 'limiter', 'server above bare, µs', 'Redis, µs', 'together'],
  measured.flatMap(({ framework: { title, peer }, bareUs, costs }) => {
    const row = (/** @type {string} */ what, /** @type {string} */ limiter, /** @type {string} */ route) => {
      const cost = costs.get(route) ?? none;
      return [
        `${title}, ${what}`,
        limiter,
        withSpread(spreadOf(cost.nodeUs)),
        digits(spreadOf(cost.redisUs).median),
        withSpread(spreadOf(totalOf(cost))),
      ];
    };
    return [
      [`*${title}, bare handler*`, '', `*${withSpread(spreadOf(bareUs))} in all*`, '', ''],
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
