import { createRequire } from 'node:module';
import type { Figure, Lab } from '../harness/lab';
import { type Call, type Cost, startLoadedServer } from '../harness/load';
import { buildNextApp, isNextAppBuilt } from '../harness/next-app';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureBetween, type Spread, spreadBy, spreadOf } from '../harness/rounds';

const bare = {
  name: 'bare',
  title: 'bare Node HTTP, `ok`',
  file: 'bare',
  args: [],
  status: 200,
  isOurs: false,
};

/** A server and the status of its answers. `args`: without the URL of Redis. */
interface Answer {
  name: string;
  title: string;
  /** A file of bench/servers. */
  file: string;
  args: readonly string[];
  status: number;
  isOurs: boolean;
}

const answers: readonly Answer[] = [
  {
    name: 'refused-user',
    title: 'refused by the user’s window, by the product',
    ...{ file: 'listener', args: ['user-full'], status: 429, isOurs: true },
  },
  {
    name: 'refused',
    title: 'refused by the global window, by the product',
    ...{ file: 'listener', args: ['global-full'], status: 429, isOurs: true },
  },
  {
    name: 'refused-adapter',
    title: 'refused, tRPC’s Node adapter alone',
    ...{ file: 'node-adapter', args: ['global-full'], status: 429, isOurs: false },
  },
  {
    name: 'refused-next',
    title: 'refused, Next route handler',
    ...{ file: 'next', args: ['global-full'], status: 429, isOurs: false },
  },
  {
    name: 'admitted',
    title: 'admitted, by the product',
    ...{ file: 'listener', args: ['open'], status: 200, isOurs: true },
  },
  {
    name: 'admitted-adapter',
    title: 'admitted, tRPC’s Node adapter alone',
    ...{ file: 'node-adapter', args: ['open'], status: 200, isOurs: false },
  },
  {
    name: 'admitted-next',
    title: 'admitted, Next route handler',
    ...{ file: 'next', args: ['open'], status: 200, isOurs: false },
  },
];

/** Goals for the CPU time of a refused call ÷ bare HTTP, by level. The condition of `global` reads the input of the call. */
const maxRatios = { user: 2, global: 3 };

/** `slowShare`: share of the calls for slow servers, so that all measurements take about the same time. */
const efforts = {
  full: { rounds: 15, calls: 6_000, warmUp: 10_000, slowShare: 0.2 },
  smoke: { rounds: 1, calls: 60, warmUp: 400, slowShare: 1 },
};

interface Row extends Answer {
  cpuUs: Spread;
  toBare: Spread;
  perSecond: Spread;
  rates: readonly number[];
}

export const http: Figure = {
  name: 'http',
  ownLoad: 2,
  async measure(lab) {
    const { rounds, calls, warmUp, slowShare } = efforts[lab.size];
    if (lab.size !== 'smoke') await buildNextApp();
    const hasNext = await isNextAppBuilt();
    if (!hasNext) console.log('  the Next application is not built, its route handler is left out');
    await lab.empty();

    const yardstick = await startServer(bare, { lab, share: 1 });
    const servers = [];
    for (const answer of answers.filter(({ file }) => file !== 'next' || hasNext)) {
      lab.note(`${answer.name} starts`);
      const share = answer.isOurs && answer.status === 429 ? 1 : slowShare;
      servers.push(await startServer(answer, { lab, share }));
    }
    const cookies = servers[0]?.cookies ?? [];
    for (const server of [...servers, yardstick]) await server.warm(warmUp, cookies);

    const taken = await measureBetween(servers, {
      rounds,
      yardstick,
      measure: (server) => server.cost(calls, cookies),
      note: lab.note,
    });
    const [bareRow, ...rows] = [...taken].map(([{ answer }, measured]): Row => {
      const own = measured.map((one) => one.own);
      return {
        ...answer,
        cpuUs: spreadBy(own, ({ cpuUs }) => cpuUs),
        toBare: spreadBy(
          measured,
          ({ own: { cpuUs }, yardstick: [before, after] }) => (2 * cpuUs) / (before.cpuUs + after.cpuUs),
        ),
        perSecond: spreadBy(own, ({ perSecond }) => perSecond),
        rates: own.map(({ perSecond }) => perSecond),
      };
    });
    if (!bareRow) throw new TypeError('the yardstick was not measured');
    return {
      text: describe(rows, bareRow),
      goals: goalsOf(rows),
      data: { bare: bareRow, rows },
    };
  },
};

/** A server that gets the clicks of shoppers. */
interface ClickServer {
  answer: Answer;
  /** The cookies of this server's shoppers. */
  cookies: readonly string[];
  warm(calls: number, cookies: readonly string[]): Promise<void>;
  cost(calls: number, cookies: readonly string[]): Promise<Cost>;
}

/** Starts a server. `share`: the share of the calls that it gets. */
async function startServer(
  answer: Answer,
  { lab, share }: { lab: Lab; share: number },
): Promise<ClickServer> {
  const args = answer === bare ? [] : [...answer.args, lab.redisUrl];
  const server = await startLoadedServer(lab, `bench/servers/${answer.file}.ts`, args);
  const { port, cookies = [] } = server.about;
  const clicksOf = (of: readonly string[]) => {
    let sent = 0;
    return () => createClick(of[sent++ % of.length] ?? '', port);
  };
  return {
    answer,
    cookies,
    warm: (calls, of) => server.warm(calls * share, clicksOf(of)),
    cost: (calls, of) => server.cost(calls * share, clicksOf(of), answer.status),
  };
}

/** Creates a click on the sale as a browser sends it. */
function createClick(cookie: string, port: number): Call {
  const body = '{"couponId":"c"}';
  return {
    method: 'POST',
    path: '/api/trpc/coupon.seckill',
    headers: {
      accept: '*/*',
      'accept-language': 'en-GB,en;q=0.9',
      'content-length': body.length,
      'content-type': 'application/json',
      cookie,
      origin: `http://127.0.0.1:${port}`,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    },
    body,
  };
}

function goalsOf(rows: readonly Row[]): Goal[] {
  const rowOf = (name: string) => rows.find((one) => one.name === name);
  const [admitted, next] = [rowOf('admitted'), rowOf('admitted-next')];
  const refusals = [
    {
      what: 'call refused by the user’s window: CPU ÷ bare Node HTTP’s `ok`',
      bound: { max: maxRatios.user },
      reached: rowOf('refused-user')?.toBare,
    },
    {
      what: 'call refused by the global window, whose condition reads the input: the same',
      bound: { max: maxRatios.global },
      reached: rowOf('refused')?.toBare,
    },
  ];
  return [
    ...refusals.flatMap(({ reached, ...goal }) => (reached ? [{ ...goal, reached }] : [])),
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

function describe(rows: readonly Row[], bareRow: Row): string {
  const versionOf = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version;
  return `tRPC ${versionOf('@trpc/server')}, Next ${versionOf('next')}.

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
