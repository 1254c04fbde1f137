import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess } from '../../scripts/lib/processes.mjs';
import type { Drill } from '../drill';

/** A separate address, so that the calls of the shoppers do not use up its `limit_req`. */
const PROBE_ADDRESS = '127.0.0.2';
const PROBES_AT_ONCE = 8;
/** Half of the rate that `limit_req` admits. */
const PROBE_EVERY_MS = 20;
const ANSWER_WITHIN_MS = 5_000;
const NODES_DOWN_MS = 6_000;

/** Sends all traffic through the shipped nginx.conf, in which only addresses and paths are replaced. */
export const behindNginx: Drill = {
  name: 'behind-nginx',
  description:
    'the shipped nginx.conf in front: kill -9 nginx, reload it, then kill -9 two of three nodes for 6 s',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  behindNginx: true,
  nodeEnv: () => ({ TRUSTED_PROXIES: '127.0.0.1/32' }),
  async inject({ topology, markFault, note, reportProblem }) {
    const { nginx, nodes } = topology;
    if (!nginx) throw new Error('This drill needs nginx in front of its nodes.');
    const probe = async (when: string, count: number) => {
      const answers = await probeMany(`${nginx.url}/api/trpc/auth.me`, count);
      const failed = answers.filter((answer) => answer !== '200');
      note(`${when}: ${count - failed.length} of ${count} calls answered`);
      if (failed.length > 0) reportProblem(`${when}: answers ${[...new Set(failed)].join(', ')}`);
      if (!(await hasFirstEvent(`${nginx.url}/api/live`)))
        reportProblem(`${when}: the live stream is silent`);
    };

    markFault();
    await nginx.server.kill();
    await nginx.server.waitUntilRunning();
    await probe('after nginx was killed', 50);

    const reloaded = probe('while nginx reloads', 300);
    signalProcess(nginx.server.current()?.pid ?? 0, 'SIGHUP');
    await reloaded;

    await Promise.all(nodes.slice(1).map(({ server }) => server.down()));
    await probe('with two of three nodes down', 100);
    await sleep(NODES_DOWN_MS);
    await probe('6 s later', 100);
    await Promise.all(nodes.slice(1).map(({ server }) => server.up()));
    await probe('with all nodes up again', 50);
  },
};

async function probeMany(url: string, count: number): Promise<string[]> {
  const answers: string[] = [];
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const dueAt = startedAt + next * PROBE_EVERY_MS;
      next += 1;
      await sleep(Math.max(0, dueAt - performance.now()));
      answers.push(await probeOnce(url));
    }
  };
  await Promise.all(Array.from({ length: PROBES_AT_ONCE }, worker));
  return answers;
}

/** Returns the status of the answer or the error message. */
function probeOnce(url: string): Promise<string> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const request = get(url, { localAddress: PROBE_ADDRESS, agent: false, signal }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
      response.once('error', (error) => resolve(error.message));
    });
    request.once('error', (error) => resolve(error.message));
  });
}

/** Returns true if a new live stream sends its first event in time. */
function hasFirstEvent(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const request = get(url, { localAddress: PROBE_ADDRESS, agent: false, signal }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (!chunk.includes('event: windows')) return;
        resolve(true);
        request.destroy();
      });
      response.once('close', () => resolve(false));
      response.once('error', () => resolve(false));
    });
    request.once('error', () => resolve(false));
  });
}
