import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { bundleServer } from '../../scripts/lib/bundle.mjs';
import { linePlot } from '../report/lines.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { forkServer } from '../run/fork-server.mjs';
import { startHits } from './start-hits.mjs';

const bundle = 'dist/bench-viewers.js';
const efforts = {
  full: { viewers: [0, 100, 500, 1_000], rounds: 3, forMs: 4_000, settleMs: 1_500 },
  quick: { viewers: [0, 500], rounds: 1, forMs: 2_000, settleMs: 500 },
  smoke: { viewers: [0, 20], rounds: 1, forMs: 600, settleMs: 300 },
};
const GOAL_VIEWERS = 500;

/**
 * @typedef {import('../report/spread.mjs').Spread} Spread
 * @typedef {{ viewers: number, share: Spread, events: Spread, bytes: Spread }} Row  Share of a core. Events and bytes per viewer and second.
 */

/** @type {import('../run/figure').Figure} */
export const viewers = {
  name: 'viewers',
  title: 'Live viewers',
  ownLoad: 1,
  async measure(lab) {
    const { viewers: steps, rounds, forMs, settleMs } = efforts[lab.size];
    await bundleServer({ entry: 'bench/viewers/viewers-server.ts', outfile: bundle });
    lab.onEnd(await startHits(lab.redisUrl));
    const server = await startServer(lab);
    const audience = openAudience(server.port);
    lab.onEnd(async () => audience.close());
    /** @type {Row[]} */
    const rows = [];
    for (const count of steps) {
      await audience.growTo(count);
      await after(settleMs);
      const taken = [];
      for (let round = 0; round < rounds; round += 1) {
        lab.note(`viewers, ${count}, round ${round + 1} of ${rounds}`);
        const [cpuBefore, seenBefore, startedAt] = [await server.cpu(), audience.seen(), performance.now()];
        await after(forMs);
        const seen = audience.seen();
        const seconds = (performance.now() - startedAt) / 1000;
        const perViewer = (/** @type {number} */ total) => (count === 0 ? 0 : total / count / seconds);
        taken.push({
          share: ((await server.cpu()) - cpuBefore) / 1e6 / seconds,
          events: perViewer(seen.events - seenBefore.events),
          bytes: perViewer(seen.bytes - seenBefore.bytes),
        });
      }
      rows.push({
        viewers: count,
        share: spreadOf(taken.map(({ share }) => share)),
        events: spreadOf(taken.map(({ events }) => events)),
        bytes: spreadOf(taken.map(({ bytes }) => bytes)),
      });
    }
    const atGoal = rows.find((row) => row.viewers === GOAL_VIEWERS);
    return {
      text: describe(rows, efforts[lab.size]),
      goals: atGoal
        ? [
            {
              what: '500 live viewers at 4 Hz: share of a core',
              bound: { max: 0.05 },
              reached: atGoal.share,
            },
          ]
        : [],
      plots: {
        'viewers.svg': linePlot({
          title: 'Share of a core, by live viewers',
          across: 'viewers',
          lines: [
            { label: 'share of a core', points: rows.map(({ viewers: x, share }) => ({ x, y: share })) },
          ],
        }),
      },
      data: rows,
    };
  },
};

/** @param {import('../run/figure').Lab} lab */
async function startServer(lab) {
  const { ready, send, stop } = await forkServer(bundle, [lab.redisUrl], { stdout: 'ignore' });
  lab.onEnd(stop);
  return {
    port: ready.port,
    /** Returns the CPU time so far, in µs. */
    cpu: () => send('cpu'),
  };
}

/**
 * Opens streams and counts their bytes and events without parsing, so that the cost of the viewers is not measured.
 *
 * @param {number} port
 */
function openAudience(port) {
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  let events = 0;
  let bytes = 0;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
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
    /** @param {number} count */
    async growTo(count) {
      while (sockets.length < count)
        await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, open));
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * @param {readonly Row[]} rows
 * @param {{ rounds: number, forMs: number }} effort
 */
function describe(rows, { rounds, forMs }) {
  return `The product's listener and live hub, with a global window that shows 200 hits. Another process adds one hit every 40 ms, so
each event is new to all viewers. Every viewer has its own connection, reads and does not parse. The result is the CPU time of
the server's process, including its reads from Redis, ${rounds} times for ${forMs / 1000} s. Its parts:
[024](decisions/024-cost-of-a-live-viewer.md).

![Share of a core by live viewers](benchmarks/viewers.svg)

${table(
  ['viewers', 'share of a core', 'events/s for each', 'kB/s for each'],
  rows.map(({ viewers: count, share, events, bytes }) => [
    digits(count).replace('.00', ''),
    withSpread(share),
    digits(events.median),
    digits(bytes.median / 1000),
  ]),
)}`;
}
