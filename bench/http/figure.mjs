import { createRequire } from 'node:module';
import { bundleServer } from '../../scripts/lib/bundle.mjs';
import { barPlot } from '../report/bars.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { CONNECTIONS } from '../run/load-server.mjs';
import { buildNextApp, isNextAppBuilt } from './build-next-app.mjs';
import { maxRatios } from './describe-refused-call.mjs';
import { serve } from './served.mjs';

/**
 * @typedef {import('../report/spread.mjs').Spread} Spread
 * @typedef {import('../run/load-server.mjs').Cost} Cost
 */

/**
 * @typedef {object} Answer
 * @property {string} name
 * @property {string} title
 * @property {string} file
 * @property {string[]} args  Without the URL of Redis.
 * @property {number} status
 */

const bundles = {
  listener: 'dist/bench-listener.js',
  adapter: 'dist/bench-adapter.js',
  next: 'dist/bench-next.js',
};

/** @type {Answer} */
const bare = {
  name: 'bare',
  title: 'bare Node HTTP, `ok`',
  file: 'bench/http/bare-server.mjs',
  args: [],
  status: 200,
};

/** @type {readonly (Answer & { isOurs: boolean })[]} */
const answers = [
  {
    name: 'refused-user',
    title: 'refused by the user’s window, by the product',
    file: bundles.listener,
    args: ['shed', 'user-full'],
    status: 429,
    isOurs: true,
  },
  {
    name: 'refused',
    title: 'refused by the global window, by the product',
    file: bundles.listener,
    args: ['shed', 'global-full'],
    status: 429,
    isOurs: true,
  },
  {
    name: 'refused-adapter',
    title: 'refused, tRPC’s Node adapter alone',
    file: bundles.adapter,
    args: ['global-full'],
    status: 429,
    isOurs: false,
  },
  {
    name: 'refused-next',
    title: 'refused, Next route handler',
    file: bundles.next,
    args: ['global-full'],
    status: 429,
    isOurs: false,
  },
  {
    name: 'admitted',
    title: 'admitted, by the product',
    file: bundles.listener,
    args: ['shed', 'open'],
    status: 200,
    isOurs: true,
  },
  {
    name: 'admitted-adapter',
    title: 'admitted, tRPC’s Node adapter alone',
    file: bundles.adapter,
    args: ['open'],
    status: 200,
    isOurs: false,
  },
  {
    name: 'admitted-next',
    title: 'admitted, Next route handler',
    file: bundles.next,
    args: ['open'],
    status: 200,
    isOurs: false,
  },
];

/** `slowShare`: share of the calls for slow servers, so that all measurements take about the same time. */
const efforts = {
  full: { rounds: 7, calls: 4_000, warmUp: 6_000, slowShare: 0.3 },
  quick: { rounds: 1, calls: 600, warmUp: 600, slowShare: 0.3 },
  smoke: { rounds: 1, calls: 60, warmUp: 400, slowShare: 1 },
};

/** @typedef {{ name: string, title: string, isOurs: boolean, cpuUs: Spread, toBare: Spread, perSecond: Spread, rates: number[] }} Row */

/** @type {import('../run/figure').Figure} */
export const http = {
  name: 'http',
  title: 'Over HTTP',
  ownLoad: 2,
  async measure(lab) {
    const { rounds, calls, warmUp, slowShare } = efforts[lab.size];
    lab.note('http, bundles');
    await bundleServer({ entry: 'bench/http/listener-server.ts', outfile: bundles.listener });
    await bundleServer({ entry: 'bench/http/adapter-server.ts', outfile: bundles.adapter });
    await bundleServer({ entry: 'bench/http/next-server.ts', outfile: bundles.next });
    if (lab.size !== 'smoke') await buildNextApp();
    const hasNext = await isNextAppBuilt();
    if (!hasNext) console.log('  the Next application is not built, its route handler is left out');
    await lab.empty();

    const start = async (/** @type {Answer} */ { file, args, status }) => {
      const server = await serve(file, args.length > 0 ? [...args, lab.redisUrl] : [], { status });
      lab.onEnd(server.stop);
      return server;
    };
    const yardstick = await start(bare);
    const servers = [];
    for (const answer of answers) {
      if (answer.file === bundles.next && !hasNext) continue;
      lab.note(`http, ${answer.name} starts`);
      servers.push({
        ...answer,
        server: await start(answer),
        share: answer.isOurs && answer.status === 429 ? 1 : slowShare,
      });
    }
    const cookies = servers[0]?.server.cookies ?? [];
    for (const { server, share } of servers) await server.warm(warmUp * share, cookies);
    await yardstick.warm(warmUp, cookies);

    /** @type {Map<string, { own: Cost, bareUs: number }[]>} */
    const taken = new Map(servers.map(({ name }) => [name, []]));
    /** @type {Cost[]} */
    const bares = [];
    for (let round = 0; round < rounds; round += 1) {
      lab.note(`http, round ${round + 1} of ${rounds}`);
      let before = await yardstick.cost(calls, cookies);
      for (const { name, server, share } of round % 2 === 0 ? servers : servers.toReversed()) {
        const own = await server.cost(calls * share, cookies);
        const after = await yardstick.cost(calls, cookies);
        taken.get(name)?.push({ own, bareUs: (before.cpuUs + after.cpuUs) / 2 });
        bares.push(after);
        before = after;
      }
    }
    /** @type {Row[]} */
    const rows = servers.map(({ name, title, isOurs }) => {
      const measured = taken.get(name) ?? [];
      return {
        name,
        title,
        isOurs,
        cpuUs: spreadOf(measured.map(({ own }) => own.cpuUs)),
        toBare: spreadOf(measured.map(({ own, bareUs }) => own.cpuUs / bareUs)),
        perSecond: spreadOf(measured.map(({ own }) => own.perSecond)),
        rates: measured.map(({ own }) => own.perSecond),
      };
    });
    const bareRow = {
      cpuUs: spreadOf(bares.map(({ cpuUs }) => cpuUs)),
      perSecond: spreadOf(bares.map(({ perSecond }) => perSecond)),
    };
    return {
      text: describe(rows, bareRow, efforts[lab.size]),
      goals: goalsOf(rows),
      plots: {
        'http.svg': barPlot({
          title: 'CPU of the server for one call ÷ bare Node HTTP',
          bars: rows.map(({ title, toBare, isOurs }) => ({ label: title, value: toBare, isOurs })),
          line: { at: 1, label: 'bare' },
        }),
      },
      data: { bare: bareRow, rows },
    };
  },
};

/** @param {readonly Row[]} rows */
function goalsOf(rows) {
  const row = (/** @type {string} */ name) => rows.find((one) => one.name === name);
  const [user, refused, admitted, next] = ['refused-user', 'refused', 'admitted', 'admitted-next'].map(row);
  return [
    ...(user
      ? [
          {
            what: 'call refused by the user’s window: CPU ÷ bare Node HTTP’s `ok`',
            bound: { max: maxRatios.user },
            reached: user.toBare,
          },
        ]
      : []),
    ...(refused
      ? [
          {
            what: 'call refused by the global window, whose condition reads the input: the same',
            bound: { max: maxRatios.global },
            reached: refused.toBare,
          },
        ]
      : []),
    ...(admitted && next
      ? [
          {
            what: 'admitted call: rate ÷ behind a Next route handler',
            bound: { min: 4 },
            reached: spreadOf(admitted.rates.map((rate, round) => rate / (next.rates[round] ?? Number.NaN))),
          },
        ]
      : []),
  ];
}

/**
 * @param {readonly Row[]} rows
 * @param {{ cpuUs: Spread, perSecond: Spread }} bareRow
 * @param {{ rounds: number, calls: number, slowShare: number }} effort
 */
function describe(rows, bareRow, { rounds, calls, slowShare }) {
  const versionOf = (/** @type {string} */ name) =>
    createRequire(import.meta.url)(`${name}/package.json`).version;
  return `tRPC ${versionOf('@trpc/server')}, Next ${versionOf('next')}. One click on
\`coupon.seckill\` as a browser sends it, by 50 signed-in shoppers over ${CONNECTIONS} loopback connections with keep-alive, each server in its
own process. *Refused*: the sale's limits, with full windows of an hour. *Admitted*: the sale's two levels with limits that
are not reached, one decision in Redis each, before an empty procedure; all three servers have the same procedure and
limiter. Next gets the router through a global, so bundling does not slow it down. CPU is user and system time of the
server's process. The rate is what one Node process next to it could send, so the client bounds the fast answers. ${rounds} rounds
of ${calls} calls (${calls * slowShare} for all but the first two), each between two rounds of bare Node HTTP. Measured
alternatives: [023](decisions/023-trpc-adapter.md). The ratio of a refused call varies with the load of
the machine; other pages quote the one of [a refused call](#a-refused-call).

![CPU of the server for one call](benchmarks/http.svg)

${table(
  ['answer', 'CPU for one call, µs', '÷ bare', 'calls/s'],
  [
    [`*${bare.title}*`, withSpread(bareRow.cpuUs), '1', withSpread(bareRow.perSecond)],
    ...rows.map(({ title, isOurs, cpuUs, toBare, perSecond }) => [
      isOurs ? `**${title}**` : title,
      digits(cpuUs.median),
      withSpread(toBare),
      withSpread(perSecond),
    ]),
  ],
)}`;
}
