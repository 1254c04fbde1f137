import { createRequire } from 'node:module';
import type { Figure } from '../harness/lab';
import { type Call, type LoadedServer, startLoadedServer } from '../harness/load';
import { buildNextApp, isNextAppBuilt } from '../harness/next-app';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureBetween, type Spread, spreadBy, spreadOf } from '../harness/rounds';

/** The windows of a server, with the status of its answers. */
const windowTitles = {
  'user-full': { title: 'refused by the user’s window', status: 429 },
  'global-full': { title: 'refused by the global window', status: 429 },
  open: { title: 'admitted', status: 200 },
};
/** The files of bench/servers. */
const serverTitles = {
  listener: 'by the product',
  'node-adapter': 'tRPC’s Node adapter alone',
  next: 'Next route handler',
};

interface Answer {
  server: keyof typeof serverTitles;
  windows: keyof typeof windowTitles;
}

const answers: readonly Answer[] = [
  { server: 'listener', windows: 'user-full' },
  { server: 'listener', windows: 'global-full' },
  { server: 'node-adapter', windows: 'global-full' },
  { server: 'next', windows: 'global-full' },
  { server: 'listener', windows: 'open' },
  { server: 'node-adapter', windows: 'open' },
  { server: 'next', windows: 'open' },
];

/** `slowShare`: share of the calls for slow servers, so that all measurements take about the same time. */
const efforts = {
  full: { rounds: 15, calls: 6_000, warmUp: 10_000, slowShare: 0.2 },
  smoke: { rounds: 1, calls: 60, warmUp: 400, slowShare: 1 },
};

interface Row extends Partial<Answer> {
  cpuUs: Spread;
  toBare: Spread;
  perSecond: Spread;
  rates: readonly number[];
}

export const http: Figure = {
  name: 'http',
  ownLoad: 2,
  async measure(lab) {
    const { rounds, calls, warmUp } = efforts[lab.size];
    if (lab.size !== 'smoke') await buildNextApp();
    const hasNext = await isNextAppBuilt();
    if (!hasNext) console.log('  the Next application is not built, its route handler is left out');
    await lab.empty();
    const yardstick: ClickServer = { server: await startLoadedServer(lab, 'bench/servers/bare.ts', []) };
    const servers: ClickServer[] = [];
    for (const answer of answers.filter(({ server }) => server !== 'next' || hasNext)) {
      lab.note(`${answer.server} starts, ${answer.windows}`);
      const entry = `bench/servers/${answer.server}.ts`;
      servers.push({ answer, server: await startLoadedServer(lab, entry, [answer.windows, lab.redisUrl]) });
    }
    const cookies = servers[0]?.server.about.cookies ?? [];
    for (const { server } of [...servers, yardstick]) await server.warm(warmUp, clicksOf(server, cookies));

    const taken = await measureBetween(servers, {
      rounds,
      yardstick,
      measure: ({ server, answer }) => {
        const isFast = !answer || (answer.server === 'listener' && answer.windows !== 'open');
        const share = isFast ? 1 : efforts[lab.size].slowShare;
        const { status } = windowTitles[answer?.windows ?? 'open'];
        return server.cost(calls * share, clicksOf(server, cookies), status);
      },
      note: lab.note,
    });
    const [bareRow, ...rows] = [...taken].map(([{ answer }, measured]): Row => {
      const rates = measured.map(({ own }) => own.perSecond);
      return {
        ...answer,
        cpuUs: spreadBy(measured, ({ own }) => own.cpuUs),
        toBare: spreadBy(
          measured,
          ({ own: { cpuUs }, yardstick: [before, after] }) => (2 * cpuUs) / (before.cpuUs + after.cpuUs),
        ),
        perSecond: spreadOf(rates),
        rates,
      };
    });
    if (!bareRow) throw new TypeError('the yardstick was not measured');
    return { text: describe(rows, bareRow), goals: listGoals(rows), data: { bare: bareRow, rows } };
  },
};

/** A server that gets the clicks of shoppers; without `answer` the yardstick. */
interface ClickServer {
  answer?: Answer;
  server: LoadedServer;
}

/** Creates the clicks on the sale as a browser sends them, of each shopper in turn. */
function clicksOf({ about }: LoadedServer, cookies: readonly string[]): () => Call {
  let sent = 0;
  const body = '{"couponId":"c"}';
  return () => ({
    method: 'POST',
    path: '/api/trpc/coupon.seckill',
    headers: {
      accept: '*/*',
      'accept-language': 'en-GB,en;q=0.9',
      'content-length': body.length,
      'content-type': 'application/json',
      cookie: cookies[sent++ % cookies.length] ?? '',
      origin: `http://127.0.0.1:${about.port}`,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    },
    body,
  });
}

function listGoals(rows: readonly Row[]): Goal[] {
  const rowOf = (name: Answer['server'], windows: Answer['windows']) =>
    rows.find((row) => row.server === name && row.windows === windows);
  const [admitted, behindNext] = [rowOf('listener', 'open'), rowOf('next', 'open')];
  const rates = admitted?.rates.map((rate, round) => rate / (behindNext?.rates[round] ?? Number.NaN));
  return [
    {
      what: 'call refused by the user’s window: CPU ÷ bare Node HTTP’s `ok`',
      bound: { max: 2 },
      reached: rowOf('listener', 'user-full')?.toBare,
    },
    {
      what: 'call refused by the global window, whose condition reads the input: the same',
      bound: { max: 3 },
      reached: rowOf('listener', 'global-full')?.toBare,
    },
    {
      what: 'admitted call: rate ÷ behind a Next route handler',
      bound: { min: 4 },
      reached: behindNext && rates && spreadOf(rates),
    },
  ].flatMap(({ reached, ...goal }) => (reached ? [{ ...goal, reached }] : []));
}

function describe(rows: readonly Row[], bareRow: Row): string {
  const versionOf = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version;
  return `tRPC ${versionOf('@trpc/server')}, Next ${versionOf('next')}.

${table(
  ['answer', 'CPU for one call, µs', '÷ bare', 'calls/s'],
  [
    ['*bare Node HTTP, `ok`*', withSpread(bareRow.cpuUs), '1', withSpread(bareRow.perSecond)],
    ...rows.map(({ server = 'listener', windows = 'open', cpuUs, toBare, perSecond }) => {
      const title = `${windowTitles[windows].title}, ${serverTitles[server]}`;
      return [
        server === 'listener' ? `**${title}**` : title,
        digits(cpuUs.median),
        withSpread(toBare),
        withSpread(perSecond),
      ];
    }),
  ],
)}`;
}
