import { once } from 'node:events';
import { connect as openSocket, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { connect } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import type { Figure } from '../harness/lab';
import { digits, table, withSpread } from '../harness/report';
import { type Spread, spreadsOf } from '../harness/rounds';
import type { ServerAbout, serverTasks } from '../harness/tasks';
import { HIT_EVERY_MS, prefix, shownPolicy } from '../servers/shown-window';

const efforts = {
  full: { viewers: [0, 100, 500, 1_000], rounds: 3, forMs: 4_000, settleMs: 1_500 },
  smoke: { viewers: [0, 20], rounds: 1, forMs: 600, settleMs: 300 },
};
const GOAL_VIEWERS = 500;

interface Row {
  viewers: number;
  /** Share of a core. */
  share: Spread;
  /** For each viewer and second. */
  events: Spread;
  bytes: Spread;
}

export const viewers: Figure = {
  name: 'viewers',
  ownLoad: 1,
  async measure(lab) {
    const { viewers: steps, rounds, forMs, settleMs } = efforts[lab.size];
    lab.onEnd(await startHits(lab.redisUrl));
    const args = ['open', lab.redisUrl];
    const server = await lab.start<typeof serverTasks, ServerAbout>('bench/servers/listener.ts', args);
    const audience = openAudience(server.about.port);
    lab.onEnd(async () => audience.close());
    const rows: Row[] = [];
    for (const count of steps) {
      await audience.growTo(count);
      await after(settleMs);
      const taken = [];
      for (let round = 0; round < rounds; round += 1) {
        lab.note(`${count}, round ${round + 1} of ${rounds}`);
        const [cpuBefore, before, startedAt] = [
          await server.call('cpuUs'),
          audience.seen(),
          performance.now(),
        ];
        await after(forMs);
        const seen = audience.seen();
        const seconds = (performance.now() - startedAt) / 1000;
        const perViewer = (total: number) => (count === 0 ? 0 : total / count / seconds);
        taken.push({
          share: ((await server.call('cpuUs')) - cpuBefore) / 1e6 / seconds,
          events: perViewer(seen.events - before.events),
          bytes: perViewer(seen.bytes - before.bytes),
        });
      }
      rows.push({ viewers: count, ...spreadsOf(taken) });
    }
    const atGoal = rows.find((row) => row.viewers === GOAL_VIEWERS);
    const what = `${GOAL_VIEWERS} live viewers at 4 Hz: share of a core`;
    return {
      text: describe(rows),
      goals: atGoal ? [{ what, bound: { max: 0.05 }, reached: atGoal.share }] : [],
    };
  },
};

/**
 * Adds hits to the shown window from this process, so that the cost of decisions is not part of the measurement. Returns
 * the function that stops them, which rejects if one of them failed.
 */
async function startHits(redisUrl: string): Promise<() => Promise<void>> {
  const { client, stop } = await connect(redisUrl);
  const limiter = createLimiter({ store: ioredisStore(client), secret, prefix });
  const policy = resolvePolicy(shownPolicy, shownPolicy.name);
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => limiter.decide(policy, { subjects: {} }));
    last.catch(() => clearInterval(timer));
  }, HIT_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await last;
    await stop();
  };
}

/** Opens streams and counts their bytes and events without parsing, so that the cost of the viewers is not measured. */
function openAudience(port: number) {
  const sockets: Socket[] = [];
  let events = 0;
  let bytes = 0;
  const open = async () => {
    const socket = openSocket(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      for (let at = chunk.indexOf('event: windows'); at >= 0; at = chunk.indexOf('event: windows', at + 14))
        events += 1;
    });
    socket.on('error', (error) => console.error(error));
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write('GET /api/live HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n');
  };
  return {
    seen: () => ({ events, bytes }),
    async growTo(count: number) {
      while (sockets.length < count)
        await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, open));
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function describe(rows: readonly Row[]): string {
  return table(
    ['viewers', 'share of a core', 'events/s for each', 'kB/s for each'],
    rows.map(({ viewers: count, share, events, bytes }) => [
      digits(count).replace('.00', ''),
      withSpread(share),
      digits(events.median),
      digits(bytes.median / 1000),
    ]),
  );
}
