/**
 * The process behind `npm run drill -- leases`: three processes spend units of a leased level in process during a fault, and
 * the fullest window of all of them is compared with the limit. `-- leases NAME…` runs only these cases. It needs no build of
 * the product. It ends with its parent process, and what it started ends with it.
 */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../../bench/harness/report';
import { killServices, stopServices } from '../../scripts/lib/services/spawn-service.mjs';
import { startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { describeError, StepError } from '../../scripts/lib/steps.mjs';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { findLowPort } from '../../test/services/low-port';
import { startRedisProxy } from '../../test/services/redis-proxy';
import { makeTempFolder } from '../../test/services/temp-folder';
import { eventually } from '../../test/until';
import { keepRunning } from '../keep-running';
import { createLimitPeriods } from '../limit-periods';
import { type LeaseCase, type LeaseScene, leaseCases, WINDOW } from './cases';
import { listWindows } from './fullest-window';
import { type LeasedNode, readSpends, startLeasedNode } from './leased-nodes';

const NODES = 3;

interface LeaseResult {
  spent: number;
  /** The part of the units that a node held when their call came. */
  leasedPart: number;
  /** The greatest units of a window ÷ its limit. */
  worst: number;
}

async function main(): Promise<void> {
  const rows: string[][] = [];
  let failed = 0;
  for (const one of select(process.argv.slice(2))) {
    const result = await runCase(one);
    const { isCovered = true } = one;
    const problem = isCovered ? problemOf(result) : undefined;
    if (problem) failed += 1;
    const { spent, leasedPart, worst } = result;
    rows.push([one.name, one.description, String(spent), percent(leasedPart), worst.toFixed(3)]);
    print(`${problem ? '✗' : '✓'} ${rows.at(-1)?.join(' · ')}${isCovered ? '' : ' (not covered)'}`);
    if (problem) print(`    ✗ ${problem}`);
  }
  const headings = ['drill', 'what happened', 'units spent', 'from a lease', 'fullest window ÷ limit'];
  print(`\n${table(headings, rows, { text: [0, 1] })}\n${rows.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function problemOf({ worst, leasedPart }: LeaseResult): string | undefined {
  if (worst > 1) return `a window had ${worst.toFixed(3)} times its limit`;
  return leasedPart < 0.5 ? 'most units were not leased, so the drill proves nothing' : undefined;
}

/** Runs one case on a Redis of its own. Longer than 50 lines because the scene shares its parts. */
async function runCase({ delayMs = 0, steadyMs = 200, hasReplica, inject }: LeaseCase): Promise<LeaseResult> {
  const folder = await makeTempFolder('drill-leases');
  await mkdir(folder.dir, { recursive: true });
  const spendsFile = path.join(folder.dir, 'spends');
  writeFileSync(spendsFile, '');
  const startRedis = async (name: string) => {
    const port = await findLowPort();
    const dir = path.join(folder.dir, name);
    const redis = await keepRunning(() => startNativeRedis({ dir, port, appendonly: true }));
    return {
      redis,
      port,
      url: `redis://127.0.0.1:${port}`,
      client: await connectTestRedis(`redis://127.0.0.1:${port}`),
    };
  };
  const primary = await startRedis('primary');
  const replica = hasReplica ? await startRedis('replica') : undefined;
  if (replica) await replica.client.call('REPLICAOF', '127.0.0.1', primary.port);
  const proxy = await startRedisProxy(primary.url, { delayMs });
  const plan = {
    ...WINDOW,
    redisUrl: proxy.url,
    clockUrl: primary.url,
    prefix: freshPrefix(),
    steadyMs,
    spendsFile,
  };
  const periods = createLimitPeriods(WINDOW.limit);
  const nodes: LeasedNode[] = [];
  const startNode = () => startLeasedNode(plan);

  const scene: LeaseScene = {
    nodes,
    startNode,
    redis: primary.redis,
    proxy,
    async failOver({ isPlanned }) {
      if (!replica) throw new TypeError('This case needs a replica.');
      if (isPlanned) await primary.client.call('FAILOVER', 'TO', '127.0.0.1', replica.port);
      else {
        await primary.redis.down();
        await replica.client.call('REPLICAOF', 'NO', 'ONE');
      }
      const isPrimary = async () => /^role:master/m.test(await replica.client.info('replication'));
      await eventually(isPrimary, 'the replica is the primary');
      proxy.switchTo(replica.url);
    },
    changeLimit: (limit) =>
      periods.change(limit, async () => {
        await Promise.all(nodes.map((node) => node.changeLimit(limit)));
        // A call that waited for units when the limit changed may still get some.
        await sleep(WINDOW.forMs);
      }),
  };

  try {
    if (replica) {
      const follows = async () => /^master_link_status:up/m.test(await replica.client.info('replication'));
      await eventually(follows, 'the replica follows');
    }
    nodes.push(...(await Promise.all(Array.from({ length: NODES }, startNode))));
    await sleep(WINDOW.windowMs);
    await inject(scene);
    await sleep(WINDOW.windowMs);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    proxy.stop();
    for (const store of [primary, replica]) {
      store?.client.disconnect();
      await store?.redis.stop();
    }
  }
  const spends = await readSpends(spendsFile);
  await folder.remove();
  const ratios = listWindows(spends, WINDOW.windowMs).map(({ at, count }) => count / periods.limitAt(at));
  return {
    spent: spends.length,
    leasedPart: spends.filter(({ isLeased }) => isLeased).length / spends.length,
    worst: ratios.reduce((most, ratio) => Math.max(most, ratio), 0),
  };
}

function select(names: string[]): readonly LeaseCase[] {
  if (names.length === 0) return leaseCases;
  const unknown = names.find((name) => !leaseCases.some((one) => one.name === name));
  if (unknown !== undefined) {
    const hint = `There are: ${leaseCases.map(({ name }) => name).join(', ')}`;
    throw new StepError(`There is no drill of leases ${unknown}.`, { hint });
  }
  return leaseCases.filter(({ name }) => names.includes(name));
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void stopServices().then(() => process.exit(1)));
}
process.on('disconnect', () => {
  killServices();
  process.exit(1);
});
main().then(
  () => process.exit(),
  (error: unknown) => {
    print(describeError(error));
    killServices();
    process.exit(1);
  },
);
