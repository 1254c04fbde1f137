import type { Figure } from '../harness/lab';
import { type Call, type LoadedServer, startLoadedServer } from '../harness/load';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureBetween, type Spread, spreadBy } from '../harness/rounds';

/** The windows of the product's listener, with the status of its answers. `share`: of the calls, fewer for slow answers. */
const answers = {
  'user-full': { title: 'refused by the user’s window', status: 429, share: 1 },
  'global-full': { title: 'refused by the global window', status: 429, share: 1 },
  open: { title: 'admitted', status: 200, share: 0.2 },
};
type Windows = keyof typeof answers;

/** Many short rounds, because the speed of a shared machine changes within seconds. */
const efforts = {
  full: { rounds: 60, calls: 1_500, warmUp: 10_000 },
  smoke: { rounds: 1, calls: 60, warmUp: 400 },
};

interface Row {
  /** Absent for the yardstick. */
  windows: Windows | undefined;
  cpuUs: Spread;
  toBare: Spread;
  perSecond: Spread;
}

export const http: Figure = {
  name: 'http',
  ownLoad: 2,
  async measure(lab) {
    const { rounds, calls, warmUp } = efforts[lab.size];
    await lab.empty();
    const yardstick: ClickServer = { server: await startLoadedServer(lab, 'bench/servers/bare.ts', []) };
    const servers: ClickServer[] = [];
    for (const windows of Object.keys(answers) as Windows[]) {
      const args = [windows, lab.redisUrl];
      servers.push({ windows, server: await startLoadedServer(lab, 'bench/servers/listener.ts', args) });
    }
    const cookies = servers[0]?.server.about.cookies ?? [];
    for (const { server } of [...servers, yardstick]) await server.warm(warmUp, clicksOf(server, cookies));

    const taken = await measureBetween(servers, {
      rounds,
      yardstick,
      measure({ server, windows }) {
        const { status, share } = windows ? answers[windows] : { status: 200, share: 1 };
        return server.cost(calls * share, clicksOf(server, cookies), status);
      },
      note: lab.note,
    });
    const rows = [...taken].map(
      ([{ windows }, measured]): Row => ({
        windows,
        cpuUs: spreadBy(measured, ({ own }) => own.cpuUs),
        toBare: spreadBy(
          measured,
          ({ own: { cpuUs }, yardstick: [before, after] }) => (2 * cpuUs) / (before.cpuUs + after.cpuUs),
        ),
        perSecond: spreadBy(measured, ({ own }) => own.perSecond),
      }),
    );
    return { text: describe(rows), goals: listGoals(rows) };
  },
};

/** A server that gets the clicks of shoppers; without `windows` the yardstick. */
interface ClickServer {
  windows?: Windows;
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
  const goal = (of: Windows, what: string, max: number) =>
    rows
      .filter(({ windows }) => windows === of)
      .map(({ toBare }) => ({ what, bound: { max }, reached: toBare }));
  return [
    ...goal('user-full', 'call refused by the user’s window: CPU ÷ bare Node HTTP’s `ok`', 1.8),
    ...goal(
      'global-full',
      'call refused by the global window, whose condition reads the input: the same',
      2.3,
    ),
  ];
}

function describe(rows: readonly Row[]): string {
  return table(
    ['answer', 'CPU for one call, µs', '÷ bare', 'calls/s'],
    rows.map(({ windows, cpuUs, toBare, perSecond }) => [
      windows ? `**${answers[windows].title}**` : '*bare Node HTTP, `ok`*',
      digits(cpuUs.median),
      windows ? withSpread(toBare) : '1',
      withSpread(perSecond),
    ]),
  );
}
