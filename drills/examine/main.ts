/**
 * The process behind `npm run drill -- examine`: the command of the package examines limiters over HTTP, 20 times each, and
 * its results are compared with the right name and with the server's own log. All limiters are examined at the same time.
 * It writes the table into docs/lab.md. `--times N` runs each limiter N times, and `--only TEXT` those whose title has the
 * text; both write no table.
 */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { table } from '../../bench/harness/report';
import { describeMachine, writeSection } from '../../bench/harness/section';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { killServices, stopServices } from '../../scripts/lib/services/spawn-service.mjs';
import { startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { describeError } from '../../scripts/lib/steps.mjs';
import { freshPrefix } from '../../test/redis';
import { makeTempFolder } from '../../test/services/temp-folder';
import { type ExaminedLimiter, examinedLimiters, limit, windowMs } from './limiters';

const TIMES = 20;
/** Of 20 runs, one may find nothing. */
const MIN_RIGHT = 0.95;

const reportShape = z.object({
  finding: z.object({ names: z.array(z.string()), limit: z.number(), windowMs: z.number() }),
  facts: z.object({ worst: z.object({ count: z.number() }) }),
  report: z.array(z.object({ name: z.string(), isGood: z.boolean().optional() })),
});

interface Run {
  given: string;
  isRight: boolean;
  /** The worst window by the report, and by the log of the server. */
  worst: number;
  trueWorst: number;
  /** The problems of the report. */
  accusations: string[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { times: { type: 'string', default: String(TIMES) }, only: { type: 'string', default: '' } },
  });
  const times = Number(values.times);
  const folder = await makeTempFolder('drill-examine');
  const redis = await startNativeRedis({ dir: folder.dir, appendonly: false });
  const command = path.join(folder.dir, 'examine.mjs');
  await build({
    ...{ entryPoints: ['server/limiter/examine/main.ts'], bundle: true, platform: 'node', format: 'esm' },
    outfile: command,
  });
  const chosen = examinedLimiters.filter(({ title }) => title.includes(values.only));
  const all = await Promise.all(
    chosen.map(async (limiter) => ({
      limiter,
      runs: await examineLimiter(limiter, { redisUrl: redis.url, command, times }),
    })),
  );
  await folder.remove();
  const headings = ['limiter', 'name given', 'right', 'worst window ÷ limit', 'by the server’s log'];
  const text = table(
    headings,
    all.map(({ limiter, runs }) => toRow(limiter, runs)),
    { text: [0, 1] },
  );
  const problems = all.flatMap(({ limiter, runs }) => listProblems(limiter, runs));
  print(`\n${text}\n\n${problems.join('\n')}`);
  if (times === TIMES && values.only === '') {
    const date = new Date().toISOString().slice(0, 10);
    const about = `Written by \`npm run drill -- examine\` on ${date}: each limiter ${times} times, all at the same time, on ${describeMachine('serve the limiters')}.`;
    writeSection('docs/lab.md', 'examine', `${about}\n\n${text}`, { command: 'npm run drill -- examine' });
  }
  process.exitCode = problems.length > 0 ? 1 : 0;
}

async function examineLimiter(
  limiter: ExaminedLimiter,
  { redisUrl, command, times }: { redisUrl: string; command: string; times: number },
): Promise<Run[]> {
  let admittedAt: number[] = [];
  const onAdmitted = () => admittedAt.push(performance.now());
  const server = createServer(await limiter.create({ redisUrl, prefix: freshPrefix(), onAdmitted }));
  const port = await listenOnFreePort(server);
  const runs: Run[] = [];
  for (let time = 1; time <= times; time += 1) {
    await sleep(2 * windowMs);
    admittedAt = [];
    const run = await runCommand(command, `http://127.0.0.1:${port}${limiter.path ?? '/'}`).then(
      ({ finding, facts, report }) => ({
        given: finding.names.join(' or ') || 'none of these',
        isRight:
          finding.names.join() === limiter.name && finding.limit === limit && finding.windowMs === windowMs,
        worst: facts.worst.count,
        trueWorst: findFullest(admittedAt),
        accusations: report.filter(({ isGood }) => isGood === false).map(({ name: line }) => line),
      }),
      (error: unknown) => {
        print(describeError(error));
        return { given: 'no limiter', isRight: false, worst: 0, trueWorst: 0, accusations: [] };
      },
    );
    runs.push(run);
    print(
      `${run.isRight ? '✓' : '✗'} ${limiter.title} ${time}: ${run.given}, ${run.worst} / ${run.trueWorst}; ${run.accusations.join(', ')}`,
    );
  }
  server.closeAllConnections();
  server.close();
  return runs;
}

async function runCommand(command: string, url: string) {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'examine', url, '--json'], {
    maxBuffer: 2 ** 24,
  });
  return reportShape.parse(JSON.parse(stdout));
}

function findFullest(times: readonly number[]): number {
  return Math.max(0, ...times.map((at) => times.filter((one) => one >= at && one < at + windowMs).length));
}

function toRow({ title }: ExaminedLimiter, runs: readonly Run[]): string[] {
  const right = runs.filter(({ isRight }) => isRight).length;
  const span = (values: readonly number[]) => {
    const [least, most] = [Math.min(...values) / limit, Math.max(...values) / limit];
    return least === most ? least.toFixed(1) : `${least.toFixed(1)} to ${most.toFixed(1)}`;
  };
  const given = [...new Set(runs.map((run) => run.given))].join('; ');
  return [
    ...[title, given, `${right}/${runs.length}`],
    ...[span(runs.map(({ worst }) => worst)), span(runs.map(({ trueWorst }) => trueWorst))],
  ];
}

function listProblems({ title, name }: ExaminedLimiter, runs: readonly Run[]): string[] {
  const right = runs.filter(({ isRight }) => isRight).length;
  const far = runs.filter(({ worst, trueWorst }) => Math.abs(worst - trueWorst) > 1);
  const accused = title === 'Floodgate, sliding-log' ? runs.flatMap(({ accusations }) => accusations) : [];
  return [
    ...(right < MIN_RIGHT * runs.length ? [`${title}: ${right} of ${runs.length} runs named ${name}.`] : []),
    ...(far.length > 0 ? [`${title}: ${far.length} worst windows are more than one call from the log.`] : []),
    ...accused.map((name) => `${title} was accused: ${name}.`),
  ];
}

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
  () => stopServices().then(() => process.exit()),
  (error: unknown) => {
    print(describeError(error));
    killServices();
    process.exit(1);
  },
);
