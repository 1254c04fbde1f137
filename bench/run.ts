/**
 * `npm run bench`: measures Floodgate, other limiters and the upper bounds, writes docs/benchmarks.md, and fails if a goal
 * is missed. `-- --only decisions,http` measures some figures. `-- --smoke` shows in a minute that all figures run, and
 * writes nothing.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import { runOrThrow } from '../scripts/lib/processes.mjs';
import { runScript } from '../scripts/lib/script.mjs';
import { stopServices } from '../scripts/lib/services/spawn-service.mjs';
import type { Steps } from '../scripts/lib/steps.mjs';
import { StepError } from '../scripts/lib/steps.mjs';
import { isInstalled } from './contenders/contender';
import { contenders } from './contenders/contenders';
import { figures } from './figures/figures';
import { type Figure, type Finding, openRun, type Run, type Size } from './harness/lab';
import { describeGoals, isReached } from './harness/report';
import { BENCHMARKS_PAGE, describeMachine, writeSection } from './harness/section';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const size: Size = flags.smoke ? 'smoke' : 'full';

/** The finding of a figure, with the load averages of one minute before and after it. */
interface Found {
  figure: Figure;
  finding: Finding;
  load: { before: number; after: number };
}

await runScript(async (steps) => {
  try {
    await runFigures(steps);
  } finally {
    await stopServices();
  }
});

async function runFigures(steps: Steps): Promise<void> {
  const chosen = chooseFigures(flags.only);
  if (size === 'full') await steps.run('contenders', installPeers);
  const absent = Object.values(contenders).filter((contender) => !isInstalled(contender));
  if (absent.length > 0)
    console.log(`  not installed, left out: ${absent.map(({ name }) => name).join(', ')}`);
  const run = await openRun(size);
  try {
    const found: Found[] = [];
    for (const figure of chosen) found.push(await measureFigure(steps, figure, run));
    if (size === 'smoke') return;
    for (const one of found) {
      const section = `bench:${one.figure.name}`;
      writeSection(BENCHMARKS_PAGE, section, describe(one, run.redis), { command: 'npm run bench' });
    }
    const missed = found.flatMap(({ finding }) => finding.goals).filter((goal) => !isReached(goal));
    if (missed.length > 0) throw new StepError(`Missed goals:\n${describeGoals(missed)}`);
  } finally {
    await run.close();
  }
}

function chooseFigures(only: string | undefined): readonly Figure[] {
  if (only === undefined) return figures;
  return only.split(',').map((name) => {
    const figure = figures.find((one) => one.name === name);
    if (figure) return figure;
    throw new StepError(`There is no figure "${name}": ${figures.map((one) => one.name).join(', ')}.`);
  });
}

/** Installs the contenders' packages by their lock file. It uses the network only if some are missing. */
async function installPeers(): Promise<void> {
  await runOrThrow('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: 'bench',
    problem: 'npm install failed in bench/:',
  });
}

async function measureFigure(steps: Steps, figure: Figure, run: Run): Promise<Found> {
  const before = readLoad();
  const finding = await steps.run(figure.name, async () => {
    try {
      return await run.measure(figure, showProgress);
    } finally {
      showProgress('');
    }
  });
  return { figure, finding, load: { before, after: readLoad() } };
}

function readLoad(): number {
  return os.loadavg()[0] ?? Number.NaN;
}

function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}

function describe({ figure, finding, load }: Found, redis: string): string {
  const goals = finding.goals.length > 0 ? `\n${describeGoals(finding.goals)}\n` : '';
  return `\`npm run bench -- --only ${figure.name}\`, ${new Date().toISOString().slice(0, 10)}: ${redis}, ${describeMachine('call and serve')}. Load average of
the machine: ${load.before.toFixed(1)} at the start, ${load.after.toFixed(1)} at the end; the run itself causes about ${figure.ownLoad}.
${goals}
${finding.text}`;
}
