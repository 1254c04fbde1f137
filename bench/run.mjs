/**
 * `npm run bench`: measures Floodgate, other limiters and the upper bounds, and writes docs/benchmarks.md.
 * `-- --only decisions,http` measures some figures. `-- --quick` takes under two minutes and writes nothing. `-- --smoke`
 * tests in seconds whether all figures run. `-- --offline` installs nothing.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import { runScript } from '../scripts/lib/script.mjs';
import { stopServices } from '../scripts/lib/services/spawn-service.mjs';
import { StepError } from '../scripts/lib/steps.mjs';
import { bundleLimiter } from './contenders/bundles.mjs';
import { isInstalled } from './contenders/contender.mjs';
import { contenders } from './contenders/contenders.mjs';
import { describeGoals } from './report/goals.mjs';
import { figures } from './run/figures.mjs';
import { installPeers } from './run/install-peers.mjs';
import { openLab } from './run/open-lab.mjs';
import { writeFindings } from './run/write-findings.mjs';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    offline: { type: 'boolean', default: false },
  },
});
/** @type {import('./run/figure').Size} */
const size = flags.smoke ? 'smoke' : flags.quick ? 'quick' : 'full';

await runScript(async (steps) => {
  try {
    await runFigures(steps);
  } finally {
    await stopServices();
  }
});

/** @param {import('../scripts/lib/steps.mjs').Steps} steps */
async function runFigures(steps) {
  const chosen = chooseFigures(flags.only);
  if (!flags.smoke && !flags.offline) await steps.run('contenders', installPeers);
  const absent = Object.values(contenders).filter((contender) => !isInstalled(contender));
  if (absent.length > 0)
    console.log(`  not installed, left out: ${absent.map(({ name }) => name).join(', ')}`);
  await steps.run('bundle', bundleLimiter);
  const lab = await openLab(size);
  try {
    const found = [];
    for (const figure of chosen) found.push(await measureFigure(steps, figure, lab));
    if (size === 'full') writeFindings(found, { redis: lab.about });
    else if (size === 'quick') {
      console.log(describeGoals(found.flatMap(({ finding }) => finding.goals)));
      console.log(
        'Quick numbers come from processes that are not warm. They show that the benchmark runs, not how fast.',
      );
    }
  } finally {
    await lab.close();
  }
}

/**
 * @param {import('../scripts/lib/steps.mjs').Steps} steps
 * @param {import('./run/figure').Figure} figure
 * @param {Awaited<ReturnType<typeof openLab>>} lab
 */
async function measureFigure(steps, figure, lab) {
  const before = readLoad();
  const finding = await steps.run(figure.name, async () => {
    try {
      return await figure.measure(lab.forFigure(showProgress));
    } finally {
      showProgress('');
      await lab.endFigure();
    }
  });
  return { figure, finding, load: { before, after: readLoad() } };
}

function readLoad() {
  return os.loadavg()[0] ?? Number.NaN;
}

/** @param {string} text */
function showProgress(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}

/** @param {string | undefined} only */
function chooseFigures(only) {
  if (only === undefined) return figures;
  return only.split(',').map((name) => {
    const figure = figures.find((one) => one.name === name);
    if (figure) return figure;
    throw new StepError(`There is no figure "${name}": ${figures.map((one) => one.name).join(', ')}.`);
  });
}
